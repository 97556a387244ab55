/** Win, draw and loss in words above the table. */

import type { SearchTrace } from '../server/types.ts';
import { divergence, forWhite, percentOf, valueText, wholePercents } from './numbers.ts';

interface HeadlineProps {
  trace: SearchTrace | null;
  other: SearchTrace | null;
  whiteToMove: boolean;
  view: 'white' | 'mover';
}

/** Win, draw and loss in words; with a second network, how far the two are apart. */
export function Headline({ trace, other, whiteToMove, view }: HeadlineProps) {
  if (!trace?.wdl) return <p class="headline note">Not evaluated</p>;
  const white = forWhite(trace.wdl, whiteToMove);
  const [win, draw, loss] = wholePercents(white);
  const percent = (one: SearchTrace) => {
    if (!one.wdl) return '';
    const own = percentOf(one.wdl);
    return valueText(one.score, view === 'mover' || whiteToMove ? own : 100 - own);
  };
  return (
    <p class="headline figure">
      <b>{percent(trace)}</b> White {win} % · draw {draw} % · Black {loss} %
      {other && (
        <span class="headline-second">
          {' '}
          | B {percent(other)} · {trace.moves[0]?.uci === other.moves[0]?.uci ? 'same move' : 'top move differs'} · KL{' '}
          {divergence(priors(trace), priors(other)).toFixed(2)}
        </span>
      )}
    </p>
  );
}

function priors(trace: SearchTrace): Map<string, number> {
  return new Map(trace.moves.map((move) => [move.uci, move.prior]));
}

