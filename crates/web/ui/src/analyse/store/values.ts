/** Values of the positions of the main line, for the list of moves, the curve and the bar beside the board. */

import { useMemo } from 'preact/hooks';
import type { ReviewPoint } from '../../server/types.ts';
import type { GraphValue } from '../graph.tsx';
import { wdlOf } from '../numbers.ts';
import { seenValue, useSeenVersion } from '../seen.ts';
import type { TreeNode } from '../tree.ts';
import type { Solving } from './solving.ts';

/** A reader looking for a better move sees the values only up to there, and no marks. */
export function useValues(line: readonly TreeNode[], points: readonly ReviewPoint[], solving: Solving | null) {
  const version = useSeenVersion();
  return useMemo(() => {
    if (!solving) return lineValues(line, points);
    const last = solving.exercises[solving.at]?.node.ply ?? 0;
    return lineValues(line.slice(0, last + 1), spared(points, last));
  }, [line, points, solving, version]);
}

/** The values of a line: the review's or, if there is none, the engine's. */
function lineValues(line: readonly TreeNode[], points: readonly ReviewPoint[]): (GraphValue | null)[] {
  return line.map((node, ply) => {
    const point = points[ply];
    const white = point ? wdlOf(point) : seenValue(node.fen)?.white;
    return white ? { ply, white, judgement: points[ply - 1]?.judgement ?? null } : null;
  });
}

/** The values of a review up to a position, without its judgement of the moves. */
function spared(points: readonly ReviewPoint[], last: number): ReviewPoint[] {
  return points.slice(0, last + 1).map((point) => ({ ...point, judgement: null }));
}
