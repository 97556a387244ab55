/** Branches of a search tree, which the server sends as a list in which each names its parent. */

import type { TracedBranch } from '../server/types.ts';

/** Branches below this share of the shown root are left out. */
export const LEAST = 0.01;

/** The branches from the root to one of them. */
function wayTo(branches: readonly TracedBranch[], index: number): TracedBranch[] {
  const way: TracedBranch[] = [];
  for (let at = branches[index]; at; at = at.parent === null ? undefined : branches[at.parent]) way.unshift(at);
  return way;
}

/** The moves to a branch. */
export function lineOf(branches: readonly TracedBranch[], index: number): string[] {
  return wayTo(branches, index).map((branch) => branch.uci);
}

/** The same moves as people write them. */
export function sansOf(branches: readonly TracedBranch[], index: number): string[] {
  return wayTo(branches, index).map((branch) => branch.san);
}

/** The deepest branch of a line that is still among the branches; null for the root, or if the first move is missing. */
export function findBranch(branches: readonly TracedBranch[], line: readonly string[]): number | null {
  let at: number | null = null;
  for (const uci of line) {
    const next = branches.findIndex((branch) => branch.parent === at && branch.uci === uci);
    if (next < 0) return at;
    at = next;
  }
  return at;
}
