/** Parts of the analysis screen other than its look: addresses, shapes, and steps through the tree. */

import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Key } from '@lichess-org/chessground/types';
import type { CommentShapeColor } from 'chessops/pgn';
import { makeSquare, parseSquare } from 'chessops/util';
import { useEffect } from 'preact/hooks';
import { stationsOf } from '../chess/position.ts';
import { rename } from '../route.ts';
import type { ReviewPoint } from '../server/types.ts';
import type { TreeNode } from './tree.ts';

export const DEFAULT_BUDGET = 100_000;
export const NO_POINTS: readonly ReviewPoint[] = [];

/** The values of a review up to a position, without its judgement of the moves. */
export function spared(points: readonly ReviewPoint[], last: number): ReviewPoint[] {
  return points.slice(0, last + 1).map((point) => ({ ...point, judgement: null }));
}

/** A position on the small board. */
export interface Preview {
  /** The first move of the line; empty if it is not a line of the search. */
  uci: string;
  length: number;
  fen: string;
  lastMove: string | null;
}

export function stationAt(fen: string, line: readonly string[]): { fen: string; lastMove: string | null } {
  const station = stationsOf(fen, line).at(-1);
  return { fen: station?.fen ?? fen, lastMove: station?.uci ?? null };
}

/** The budget in an address: any number of visits, or `none` for no limit. Anything else is reported. */
export function budgetOf(text: string | null): { budget: number | null; problem: string | null } {
  if (text === null) return { budget: DEFAULT_BUDGET, problem: null };
  if (text === 'none') return { budget: null, problem: null };
  if (/^[1-9]\d{0,8}$/.test(text)) return { budget: Number(text), problem: null };
  return { budget: DEFAULT_BUDGET, problem: `The address has nodes=${text}; expected a whole number from 1 to 999999999, or none.` };
}

/** Keeps the screen's choices in the address, so that a reload or a link restores them. Empty ones are left out. */
export function useAddressOfChoices(choices: Record<string, string>): void {
  const text = JSON.stringify(choices);
  useEffect(() => {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(choices)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    const after = query.toString();
    rename(location.pathname + (after ? `?${after}` : '') + location.hash);
  }, [text]);
}

/** The nodes from the start to a node. */
export function pathOf(node: TreeNode): TreeNode[] {
  const path: TreeNode[] = [];
  for (let at: TreeNode | null = node; at; at = at.parent) path.unshift(at);
  return path;
}

/** The next node with more than one continuation, or the last of the line. */
export function nextFork(node: TreeNode): TreeNode {
  let at = node.children[0] ?? node;
  while (at.children.length === 1) at = at.children[0] as TreeNode;
  return at;
}

/** The way out of a variation: the node at which it left its line; on the main line, the previous fork. */
export function leaveVariation(node: TreeNode): TreeNode {
  for (let at = node; at.parent; at = at.parent) {
    if (at.parent.children[0] !== at) return at.parent;
  }
  let at = node.parent ?? node;
  while (at.parent && at.children.length === 1) at = at.parent;
  return at;
}

/** Shapes drawn on a position. */
export function shapesOf(node: TreeNode): DrawShape[] {
  return node.shapes.map(({ color, from, to }) => ({
    brush: color,
    orig: makeSquare(from),
    ...(from === to ? {} : { dest: makeSquare(to) }),
  }));
}

/** Keeps the drawn shapes with the position, from which they are written to the PGN. */
export function keepShapes(node: TreeNode, drawn: readonly DrawShape[]): void {
  const square = (key: Key) => parseSquare(key) as number;
  node.shapes = drawn.map(({ brush, orig, dest }) => ({
    color: (brush ?? 'green') as CommentShapeColor,
    from: square(orig),
    to: square(dest ?? orig),
  }));
}
