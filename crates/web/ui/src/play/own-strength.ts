/**
 * The strength of the person who plays, from the games against levels whose rating was measured: the formulas of Glicko
 * (M. Glickman, "Parameter estimation in large dynamic paired comparison experiments", 1999), a game at a time.
 */

import type { GameSummary, Level } from '../server/types.ts';

export interface OwnStrength {
  /** On the scale of the levels. */
  elo: number;
  /** Standard deviation of the estimate. */
  deviation: number;
  games: number;
}

const Q = Math.LN10 / 400;
/** Deviation of a player of whom nothing is known, in the paper. */
const UNKNOWN = 350;
/** From here on the estimate keeps following: without it a hundred games would outweigh what was learnt since. Chosen. */
const LEAST_DEVIATION = 60;
/** Half of a 95 % interval, in standard deviations. */
const HALF_INTERVAL = 1.96;

/** Null before the first game that counts: one that ended, without help, against a level with a rating. */
export function ownStrength(games: readonly GameSummary[], levels: readonly Level[]): OwnStrength | null {
  const measured = new Map(levels.flatMap(({ name, measurement }) => (measurement ? [[name, measurement] as const] : [])));
  let own: OwnStrength | null = null;
  for (const game of [...games].sort((one, other) => one.started - other.started)) {
    const level = measured.get(game.level ?? '');
    const score = scoreOf(game);
    if (!level || score === null || game.help) continue;
    const before: OwnStrength = own ?? { elo: level.elo, deviation: UNKNOWN, games: 0 };
    own = afterGame(before, { elo: level.elo, deviation: (level.high - level.low) / (2 * HALF_INTERVAL) }, score);
  }
  return own;
}

/** The estimate after a game with this score. */
export function afterGame(own: OwnStrength, opponent: { elo: number; deviation: number }, score: number): OwnStrength {
  const weight = 1 / Math.sqrt(1 + (3 * (Q * opponent.deviation) ** 2) / Math.PI ** 2);
  const expected = 1 / (1 + 10 ** ((-weight * (own.elo - opponent.elo)) / 400));
  const information = (Q * weight) ** 2 * expected * (1 - expected);
  const precision = 1 / own.deviation ** 2 + information;
  return {
    elo: own.elo + (Q / precision) * weight * (score - expected),
    deviation: Math.max(LEAST_DEVIATION, Math.sqrt(1 / precision)),
    games: own.games + 1,
  };
}

/** Points of the person; null for a game that did not end. */
function scoreOf({ result, person }: GameSummary): number | null {
  if (result === '1/2-1/2') return 0.5;
  if (result !== '1-0' && result !== '0-1') return null;
  return (result === '1-0') === (person === 'white') ? 1 : 0;
}

/** The ends of the 95 % interval. */
export function rangeOf({ elo, deviation }: OwnStrength): [number, number] {
  return [elo - HALF_INTERVAL * deviation, elo + HALF_INTERVAL * deviation];
}

/** The index of the level whose rating is nearest; null if none was measured. */
export function nearestLevel(levels: readonly Level[], elo: number): number | null {
  const distances = levels.map(({ measurement }) => (measurement ? Math.abs(measurement.elo - elo) : Number.POSITIVE_INFINITY));
  const least = Math.min(...distances);
  return Number.isFinite(least) ? distances.indexOf(least) : null;
}
