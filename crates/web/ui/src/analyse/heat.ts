/** Squares tinted: policy mass arriving at each or leaving from it, or what the piece on it is worth. */

import type { Key, SquareClasses } from '@lichess-org/chessground/types';
import type { TracedMove } from '../server/types.ts';
import { heatStep } from './numbers.ts';

/** Squares with less policy than this carry no figure. */
const FIGURE_FROM = 0.05;
/** Points of win percentage that make the strongest tint: about a rook in an even game. */
const FULL_WORTH = 40;

export type Heat = 'off' | 'to' | 'from' | 'worth';

export interface HeatMap {
  classes: SquareClasses;
  figures: Map<string, string>;
}

export function heatOf(moves: TracedMove[], heat: Heat): HeatMap {
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

/** The worth of pieces as tints; a piece that its side would be better off without is marked as a burden. */
export function worthHeat(worth: ReadonlyMap<string, number>): HeatMap {
  const classes: SquareClasses = new Map();
  const figures = new Map<string, string>();
  for (const [square, points] of worth) {
    const step = heatStep(points / FULL_WORTH);
    if (points <= -1) classes.set(square as Key, 'heat burden');
    else if (step > 0) classes.set(square as Key, `heat heat-${step}`);
    figures.set(square, `${points >= 0.5 ? '+' : ''}${Math.round(points)}`);
  }
  return { classes, figures };
}
