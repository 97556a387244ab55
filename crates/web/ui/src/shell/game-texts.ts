/** A game in a list, in words. */

import type { GameSummary } from '../server/types.ts';

/** The opponent: its level, or the network in the description that the engine gives of itself. */
export function opponentName({ level, opponent }: Pick<GameSummary, 'level' | 'opponent'>): string {
  return level ?? networkIn(opponent);
}

/** `toy` of `PUCT with toy 2x24 int8 on cpu (avx512)`, `material` of `material: equal priors, value from ...`; else the whole text. */
function networkIn(description: string): string {
  const [, before] = /^([\w.-]+):/.exec(description) ?? [];
  const [, after] = /^.* with ([\w.-]+)/.exec(description) ?? [];
  return before ?? after ?? description;
}

/** Day and time of its first move, as the reader writes them. */
export function startedText({ started }: Pick<GameSummary, 'started'>): string {
  return new Date(started * 1000).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
