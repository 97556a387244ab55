/** The review of the game, and what it says of the position shown. */

import { useMemo } from 'preact/hooks';
import type { ReviewPoint } from '../../server/types.ts';
import { reasonOf } from '../reason.ts';
import { useReview } from '../use-review.ts';
import type { Game } from './game.ts';

const NO_POINTS: readonly ReviewPoint[] = [];

/** `nodes` and `network` are those of the next review. */
export function useGameReview({ start: from, mainMoves, node, line }: Game, network: string, nodes: number) {
  const { review, problem, looked, start, stop } = useReview(from, mainMoves);
  return useMemo(() => {
    const points = review?.points ?? NO_POINTS;
    return {
      review,
      problem,
      looked,
      points,
      /** The entry for the position shown. */
      reviewed: line[node.ply] === node ? (points[node.ply] ?? null) : null,
      reason: reasonOf(node, line, points),
      begin: () => void start({ network, nodes }),
      stop,
    };
  }, [review, problem, looked, start, stop, node, line, network, nodes]);
}
