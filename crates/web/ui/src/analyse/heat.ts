/** Where the network wants to go: policy mass arriving at each square, or leaving from it. */

import type { Key, SquareClasses } from '@lichess-org/chessground/types';
import type { TracedMove } from '../server/types.ts';
import { heatStep } from './numbers.ts';

/** Squares with less than this carry no figure. */
const FIGURE_FROM = 0.05;

export type Heat = 'off' | 'to' | 'from';

export function heatOf(moves: TracedMove[], heat: Heat): { classes: SquareClasses; figures: Map<string, string> } {
  const mass = new Map<string, number>();
  for (const move of moves) {
    const target = heat === 'from' ? move.uci.slice(0, 2) : move.uci.slice(2, 4);
    mass.set(target, (mass.get(target) ?? 0) + move.prior);
  }
  const classes: SquareClasses = new Map();
  const figures = new Map<string, string>();
  for (const [square, share] of mass) {
    const step = heatStep(share);
    if (step > 0) classes.set(square as Key, `heat heat-${step}`);
    if (share >= FIGURE_FROM) figures.set(square, String(Math.round(100 * share)));
  }
  return { classes, figures };
}
