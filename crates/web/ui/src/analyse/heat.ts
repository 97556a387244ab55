/** Tinted squares: the policy mass arriving at or leaving from each, or the worth of the piece on it. */

import type { Key, SquareClasses } from '@lichess-org/chessground/types';
import type { TracedMove } from '../server/types.ts';

/** Squares with less policy than this carry no figure. */
const FIGURE_FROM = 0.05;
/** Squares with less policy than this are not tinted. */
const TINT_FROM = 0.02;
/** A piece without which its side would gain as many pawns is a burden. */
const BURDEN = 0.2;
/** Number of tints, up to the largest value of the position. */
const STEPS = 5;

export type Heat = 'off' | 'to' | 'from' | 'worth';

export interface HeatMap {
  classes: SquareClasses;
  figures: Map<string, string>;
}

/** Policy as tints, up to the square with the most policy in this position. */
export function heatOf(moves: TracedMove[], heat: Heat): HeatMap {
  const mass = new Map<string, number>();
  for (const move of moves) {
    const target = heat === 'from' ? move.uci.slice(0, 2) : move.uci.slice(2, 4);
    mass.set(target, (mass.get(target) ?? 0) + (move.prior ?? 0));
  }
  const classes: SquareClasses = new Map();
  const figures = new Map<string, string>();
  const most = Math.max(...mass.values());
  for (const [square, share] of mass) {
    if (share >= TINT_FROM) classes.set(square as Key, `heat heat-${stepOf(share / most)}`);
    if (share >= FIGURE_FROM) figures.set(square, String(Math.round(100 * share)));
  }
  return { classes, figures };
}

function stepOf(share: number): number {
  return Math.max(1, Math.min(STEPS, Math.ceil(STEPS * share)));
}

/**
 * The worth of pieces as tints, from the smallest to the largest in this position, so that they can be distinguished in any
 * position. A piece that its side would be better off without has another colour.
 */
export function worthHeat(worth: ReadonlyMap<string, number>): HeatMap {
  const classes: SquareClasses = new Map();
  const figures = new Map<string, string>();
  const gives = [...worth.values()].filter((pawns) => pawns > -BURDEN);
  const [least, most] = [Math.max(0, Math.min(...gives)), Math.max(...gives)];
  for (const [square, pawns] of worth) {
    const share = most > least ? (pawns - least) / (most - least) : 1;
    if (pawns <= -BURDEN) classes.set(square as Key, 'heat burden');
    else classes.set(square as Key, `heat heat-${stepOf(share)}`);
    const text = pawns.toFixed(Math.abs(pawns) < 9.95 ? 1 : 0);
    figures.set(square, Number(text) > 0 ? `+${text}` : text.replace(/^-0\.0$/, '0.0'));
  }
  return { classes, figures };
}
