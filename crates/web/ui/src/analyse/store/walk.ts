/** Steps through the game on the board. */

import { useMemo } from 'preact/hooks';
import type { Colour, ReviewView } from '../../server/types.ts';
import { type TreeNode, mainLine } from '../tree.ts';
import type { Game } from './game.ts';

export type Fault = 'inaccuracy' | 'mistake' | 'blunder';

export function useWalk(game: Game, review: ReviewView | null, orientation: Colour) {
  return useMemo(() => {
    const { tree, node, setNode, line, start } = game;
    const [next] = node.children;
    const to = (target: TreeNode | null | undefined) => target && setNode(target);
    const beside = (step: number) => {
      const choices = node.parent?.children ?? [];
      to(choices[choices.indexOf(node) + step]);
    };
    const first = () => setNode(tree.root);
    const last = () => setNode(mainLine(node).at(-1) ?? node);
    const atFork = node.parent !== null && node.parent.children.length > 1;
    return {
      back: () => to(node.parent),
      forward: () => to(next),
      first,
      last,
      /** To the variation before or after this one; where there is none to choose from, to the start or the end. */
      up: () => (atFork ? beside(-1) : first()),
      down: () => (atFork ? beside(1) : last()),
      toFork: () => setNode(nextFork(node)),
      outOfVariation: () => setNode(leaveVariation(node)),
      /** Goes to the next move of a kind that the side at the bottom played. */
      jump: (kind: Fault) => {
        const found = review && nextJudged(review, kind, node.ply, orientation, start.split(' ')[1] === 'w');
        to(found === null ? null : line[found + 1]);
      },
    };
  }, [game, review, orientation]);
}

/** The next node with more than one continuation, or the last of the line. */
function nextFork(node: TreeNode): TreeNode {
  let at = node.children[0] ?? node;
  while (at.children.length === 1) at = at.children[0] as TreeNode;
  return at;
}

/** The way out of a variation: the node at which it left its line; on the main line, the previous fork. */
function leaveVariation(node: TreeNode): TreeNode {
  for (let at = node; at.parent; at = at.parent) {
    if (at.parent.children[0] !== at) return at.parent;
  }
  let at = node.parent ?? node;
  while (at.parent && at.children.length === 1) at = at.parent;
  return at;
}

/** The next move of a kind after a ply, for the side at the bottom; starts again from the beginning after the end. */
function nextJudged(review: ReviewView, kind: Fault, ply: number, side: Colour, whiteFirst: boolean): number | null {
  const own = review.points.filter((point) => point.judgement === kind && ((point.ply % 2 === 0) === whiteFirst) === (side === 'white'));
  return (own.find((point) => point.ply + 1 > ply) ?? own[0])?.ply ?? null;
}
