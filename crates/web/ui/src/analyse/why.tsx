/** Why a move was a mistake, from the review already made: what it lost, what was better, and how that goes on. */

import type { ReviewPoint } from '../server/types.ts';
import { wdlOf } from './headline.tsx';
import { numbered } from './numbers.ts';
import { type TreeNode, playSans } from './tree.ts';
import { SmallWdl } from './wdl-bar.tsx';

export const MARKS: Record<string, string> = { inaccuracy: '?!', mistake: '?', blunder: '??' };

export interface Reason {
  /** The move judged and the position before it. */
  node: TreeNode;
  before: TreeNode;
  point: ReviewPoint;
  /** The position after it, where it is reviewed too. */
  after: ReviewPoint | undefined;
}

/** The review's judgement of the move that led to a node; null off the main line, and where it is not reviewed. */
export function reasonOf(node: TreeNode, line: readonly TreeNode[], points: readonly ReviewPoint[]): Reason | null {
  const point = points[node.ply - 1];
  if (!node.parent || line[node.ply] !== node || !point || point.loss === null) return null;
  return { node, before: node.parent, point, after: points[node.ply] };
}

/** `26. Bb2 loses 17 %: best was Rag1` */
export function sentenceOf({ node, before, point }: Reason): string {
  const [name = node.san] = numbered([node.san], before.fen);
  const loss = point.loss ?? 0;
  const [best] = point.line;
  if (point.judgement === 'forced') return `${name} was the only legal move`;
  if (point.best === node.uci) return `${name} is the best move found`;
  const lost = loss < 0.5 ? 'loses nothing' : `loses ${Math.round(loss)} %`;
  return best ? `${name} ${lost}: best was ${best}` : `${name} ${lost}`;
}

export function isFault(reason: Reason | null): reason is Reason {
  return reason !== null && reason.point.judgement !== null && (reason.point.judgement ?? '') in MARKS;
}

interface Props {
  reason: Reason | null;
  /** What the review says of the position shown. */
  reviewed: ReviewPoint | null;
  node: TreeNode;
  onNode: (node: TreeNode) => void;
}

/** In the place of the table while nothing is searched. */
export function Why({ reason, reviewed, node, onNode }: Props) {
  if (!reason && reviewed) {
    return (
      <p class="why why-line">
        <span class="note">Best here</span> <span>{numbered(reviewed.line, node.fen).join(' ')}</span>
      </p>
    );
  }
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
  const mover = (one: ReviewPoint) => (whiteMoved ? wdlOf(one) : { ...wdlOf(one), win: wdlOf(one).loss, loss: wdlOf(one).win });
  const percent = (one: ReviewPoint) => `${(whiteMoved ? one.white_percent : 100 - one.white_percent).toFixed(0)} %`;
  const names = numbered(point.line, before.fen);
  return (
    <section class="why" aria-label="Why">
      <dl class="why-values figure">
        <dt>{whiteMoved ? 'White' : 'Black'} before</dt>
        <dd>
          {percent(point)} <SmallWdl wdl={mover(point)} />
        </dd>
        {after && (
          <>
            <dt>after {reason.node.san}</dt>
            <dd>
              {percent(after)} <SmallWdl wdl={mover(after)} />
            </dd>
          </>
        )}
      </dl>
      {point.best !== reason.node.uci && names.length > 0 && (
        <p class="why-line">
          <span class="note">Better</span>{' '}
          {names.map((name, index) => (
            <button key={index} type="button" class="move" onClick={() => onNode(lineNode(before, point, index))}>
              {name}
            </button>
          ))}
        </p>
      )}
      {after && after.line.length > 0 && (
        <p class="why-line">
          <span class="note">Now</span> <span>{numbered(after.line, reason.node.fen).join(' ')}</span>
        </p>
      )}
    </section>
  );
}

/** The better line as a variation, as far as it was clicked. */
const lineNode = (before: TreeNode, point: ReviewPoint, index: number) => playSans(before, point.line.slice(0, index + 1));
