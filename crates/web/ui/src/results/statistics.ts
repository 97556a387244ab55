/** Statistics that the drawings of results compute themselves. */

/** The logistic model of Elo: the share expected against an opponent this much weaker. */
export function expectedScore(difference: number): number {
  return 1 / (1 + 10 ** (-difference / 400));
}

/** Wilson's interval of a share at 95 %. */
export function wilson(share: number, samples: number): [number, number] {
  const z = 1.959964;
  const middle = (share + (z * z) / (2 * samples)) / (1 + (z * z) / samples);
  const half = (z / (1 + (z * z) / samples)) * Math.sqrt((share * (1 - share)) / samples + (z * z) / (4 * samples * samples));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** Positions counted by who plays the same move in them. */
export interface Overlap {
  all: number;
  playerAndFirst: number;
  playerAndSecond: number;
  /** Both references, and not the player. */
  references: number;
  /** Three different moves. */
  different: number;
}

/** The counts of an agreement table (both, first only, second only, neither) as the parts of three circles; they add up to the positions. */
export function overlapOf(counts: [number, number, number, number], positions: number, referencesAgree: number): Overlap {
  const [all, playerAndFirst, playerAndSecond, neither] = counts;
  const references = Math.max(0, referencesAgree * positions - all);
  return { all, playerAndFirst, playerAndSecond, references, different: neither - references };
}
