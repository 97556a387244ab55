/** The opponent of a game in a list: its level, or the network in the description that the engine gives of itself. */

import type { GameSummary } from '../server/types.ts';

export function opponentName({ level, opponent }: Pick<GameSummary, 'level' | 'opponent'>): string {
  return level ?? networkIn(opponent);
}

/** `toy` of `PUCT with toy 2x24 int8 on cpu (avx512)`, `material` of `material: equal priors, value from ...`; else the whole text. */
function networkIn(description: string): string {
  const [, before] = /^([\w.-]+):/.exec(description) ?? [];
  const [, after] = /^.* with ([\w.-]+)/.exec(description) ?? [];
  return before ?? after ?? description;
}
