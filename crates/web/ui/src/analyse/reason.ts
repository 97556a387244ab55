/** What a review says of the move that led to a position, as data and as a sentence. */

import type { ReviewPoint } from '../server/types.ts';
import { numbered, plural } from './numbers.ts';
import type { TreeNode } from './tree.ts';

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

/** `26. Bb2 loses 17 points: best was Rag1` */
export function sentenceOf(reason: Reason): string {
  return partsOf(reason).join('');
}

/** The sentence in two parts: `26. Bb2 loses 17 points` and `: best was Rag1`, which is empty if nothing was better. */
export function partsOf({ node, before, point }: Reason): [what: string, best: string] {
  const [name = node.san] = numbered([node.san], before.fen);
  const loss = point.loss ?? 0;
  const [best] = point.line;
  if (point.judgement === 'forced') return [`${name} was the only legal move`, ''];
  if (point.best === node.uci) return [`${name} is the best move found`, ''];
  const lost = Math.round(loss);
  const cost = lost === 0 ? 'loses nothing' : `loses ${plural(lost, 'point')}`;
  return [`${name} ${cost}`, best ? `: best was ${best}` : ''];
}

export function isFault(reason: Reason | null): reason is Reason {
  return reason !== null && reason.point.judgement !== null && (reason.point.judgement ?? '') in MARKS;
}
