/** A reviewed game as PGN, with evaluations, glyphs and better lines added. The game on the board stays as it is. */

import type { ReviewPoint, ReviewView } from '../server/types.ts';
import { pawnsOf } from './numbers.ts';
import { type GameTree, type TreeNode, mainLine, playSans, readPgn, writePgn } from './tree.ts';

/** Glyphs of the PGN standard for the cost of a move. */
const GLYPHS: Record<string, number> = { inaccuracy: 6, mistake: 2, blunder: 4 };

export interface ReviewTexts {
  evaluations: boolean;
  glyphs: boolean;
  lines: boolean;
}

/** The game with the findings of its review. */
export function pgnWithReview(tree: GameTree, review: ReviewView, texts: ReviewTexts): string {
  const copy = readPgn(writePgn(tree)).games[0];
  if (!copy) return writePgn(tree);
  const nodes = mainLine(copy.root);
  for (const [ply, point] of review.points.entries()) {
    const node = nodes[ply];
    if (node && texts.evaluations) evaluate(node, point);
    const played = nodes[ply + 1];
    if (!node || !played || !point.judgement || !(point.judgement in GLYPHS)) continue;
    if (texts.glyphs && played.glyphs.length === 0) played.glyphs = [GLYPHS[point.judgement] as number];
    if (texts.lines && point.best !== played.uci) playSans(node, point.line);
  }
  copy.headers.set('Annotator', `Tabiya, ${review.engine}, ${review.nodes} nodes a position`);
  return writePgn(copy);
}

function evaluate(node: TreeNode, point: ReviewPoint): void {
  if (node.parent === null) return;
  node.remarks = { ...node.remarks, evaluation: { pawns: Number(pawnsOf(point.white_percent).toFixed(2)) } };
  const [win, draw, loss] = point.white_wdl.map((share) => Math.round(1000 * share));
  const text = `[%wdl ${win},${draw},${loss}]`;
  node.comments = [...node.comments.filter((comment) => !comment.startsWith('[%wdl')), text];
}
