/** Reason why a move was a mistake, from the review already made: its loss, the better move, and the line after it. */

import type { ReviewPoint } from '../server/types.ts';
import { wdlOf } from './headline.tsx';
import { LineText } from './line-text.tsx';
import { type View, forWhite, nameOf, numbered, told } from './numbers.ts';
import type { TreeNode } from './tree.ts';
import { SmallWdl } from './wdl-bar.tsx';

export const MARKS: Record<string, string> = { inaccuracy: '?!', mistake: '?', blunder: '??' };

export interface Reason {
  /** The move judged and the position before it. */
  node: TreeNode;
  before: TreeNode;
  point: ReviewPoint;
  /** The position after it, if it is reviewed too. */
  after: ReviewPoint | undefined;
}

/** The review's judgement of the move that led to a node; null off the main line, and if it is not reviewed. */
export function reasonOf(node: TreeNode, line: readonly TreeNode[], points: readonly ReviewPoint[]): Reason | null {
  const point = points[node.ply - 1];
  if (!node.parent || line[node.ply] !== node || !point || point.loss === null) return null;
  return { node, before: node.parent, point, after: points[node.ply] };
}

/** `26. Bb2 loses 17 %: best was Rag1` */
export function sentenceOf(reason: Reason): string {
  return partsOf(reason).join('');
}

/** The sentence in two parts: `26. Bb2 loses 17 %` and `: best was Rag1`, which is empty if nothing was better. */
export function partsOf({ node, before, point }: Reason): [what: string, best: string] {
  const [name = node.san] = numbered([node.san], before.fen);
  const loss = point.loss ?? 0;
  const [best] = point.line;
  if (point.judgement === 'forced') return [`${name} was the only legal move`, ''];
  if (point.best === node.uci) return [`${name} is the best move found`, ''];
  const lost = loss < 0.5 ? 'loses nothing' : `loses ${Math.round(loss)} %`;
  return [`${name} ${lost}`, best ? `: best was ${best}` : ''];
}

export function isFault(reason: Reason | null): reason is Reason {
  return reason !== null && reason.point.judgement !== null && (reason.point.judgement ?? '') in MARKS;
}

interface Props {
  reason: Reason | null;
  view: View;
  onNode: (node: TreeNode) => void;
  onPreview: (node: TreeNode | null) => void;
}

/** Shown instead of the table while nothing is searched: the cost of the move, and the further course of the game. */
export function Why({ reason, view, onNode, onPreview }: Props) {
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
      {after && after.line.length > 0 && <LineText name="Now" from={reason.node} sans={after.line} onNode={onNode} onPreview={onPreview} />}
    </section>
  );
}
