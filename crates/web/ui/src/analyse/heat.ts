/** Squares tinted: policy mass arriving at each or leaving from it, or what the piece on it is worth. */

import type { Key, SquareClasses } from '@lichess-org/chessground/types';
import type { TracedMove } from '../server/types.ts';
import { heatStep } from './numbers.ts';

/** Squares with less policy than this carry no figure. */
const FIGURE_FROM = 0.05;
/** Steps of tint for what pieces are worth, from the least of a position to the most. */
const WORTH_STEPS = 5;

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

/**
 * The worth of pieces as tints, from the least to the most of this position: what tells them apart, whatever the position is like.
 * A piece that its side would be better off without has another colour.
 */
export function worthHeat(worth: ReadonlyMap<string, number>): HeatMap {
  const classes: SquareClasses = new Map();
  const figures = new Map<string, string>();
  const gives = [...worth.values()].filter((points) => points > -1);
  const [least, most] = [Math.max(0, Math.min(...gives)), Math.max(...gives)];
  for (const [square, points] of worth) {
    const share = most > least ? (points - least) / (most - least) : 1;
    const step = Math.max(1, Math.min(WORTH_STEPS, Math.ceil(WORTH_STEPS * share)));
    if (points <= -1) classes.set(square as Key, 'heat burden');
    else classes.set(square as Key, `heat heat-${step}`);
    figures.set(square, `${points >= 0.5 ? '+' : ''}${Math.round(points)}`);
  }
  return { classes, figures };
}
