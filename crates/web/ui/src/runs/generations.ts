/** The generations of a self-play run, from the columns of its log. */

import type { Series } from '../server/types.ts';

/** A generation as recorded in the log; `null` where the log lacks a number. */
export interface Generation {
  number: number;
  games: number | null;
  plies: number | null;
  /** Shares of the games: White, drawn, Black. */
  results: (number | null)[];
  surprise: number | null;
  score: number | null;
  tookOver: boolean;
  /** Elo over the start with its 95 % interval; only if the network took over, unless an earlier match was won without a loss. */
  elo: { value: number; lower: number; upper: number } | null;
}

export function generationsOf(series: Series): Generation[] {
  const at = (name: string, index: number) => series.values[`selfplay.${name}`]?.[index] ?? null;
  return series.step.flatMap((number, index) => {
    const plies = at('plies', index);
    if (plies === null) return [];
    const [value, lower, upper] = [at('elo', index), at('elo_lower', index), at('elo_upper', index)];
    return {
      number,
      games: at('games', index),
      plies,
      results: [at('white', index), at('drawn', index), at('black', index)],
      surprise: at('surprise', index),
      score: at('gate_score', index),
      // Logs of earlier versions do not record it.
      tookOver: (at('took_over', index) ?? Number(value !== null)) === 1,
      elo: value !== null && lower !== null && upper !== null ? { value, lower, upper } : null,
    };
  });
}
