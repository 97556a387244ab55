/** Reason why a move was a mistake, from the review already made: its loss, the better move, and the line after it. */

import type { ReviewPoint } from '../server/types.ts';
import { LineText } from './line-text.tsx';
import { forWhite, nameOf, told, wdlOf } from './numbers.ts';
import { useAnalysis } from './store.tsx';
import { SmallWdl } from './wdl-bar.tsx';

/** Shown instead of the table while nothing is searched: the cost of the move, and the further course of the game. */
export function Why() {
  const { view } = useAnalysis('choices');
  const { reason } = useAnalysis('review');
  if (!reason) {
    return (
      <p class="why note">
        Analyse (l) searches this position, Review (r) judges every move of the game. Move pieces, paste a game or a FEN (Ctrl+V), walk
        through it with the arrow keys or the wheel.
      </p>
    );
  }
  const { point, after, before } = reason;
  const whiteMoved = before.fen.split(' ')[1] === 'w';
  // Both values are from one side; otherwise nobody could compare them.
  const tell = (one: ReviewPoint) => told(whiteMoved ? wdlOf(one) : forWhite(wdlOf(one), false), whiteMoved, view);
  const row = (one: ReviewPoint) => (
    <dd>
      {tell(one).percent.toFixed(0)} % <SmallWdl value={tell(one)} />
    </dd>
  );
  return (
    <section class="why" aria-label="Why">
      <dl class="why-values figure">
        <dt>{nameOf(tell(point).side)} before</dt>
        {row(point)}
        {after && (
          <>
            <dt>after {reason.node.san}</dt>
            {row(after)}
          </>
        )}
      </dl>
      {after && after.line.length > 0 && <LineText name="Now" from={reason.node} sans={after.line} />}
    </section>
  );
}
