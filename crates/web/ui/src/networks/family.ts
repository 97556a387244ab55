/** Networks that play like people, by origin. Mixed in one list or chart, they would look like facts about people. */

import type { NetworkSummary } from '../server/types.ts';

/**
 * The built-in network, given a rating; files from others for one rating each, such as Maia's; one file that is given a rating, such as
 * Maia-3's, by its path; networks trained on one person's games.
 */
export type Family = 'built in' | 'files' | 'personal' | `file ${string}`;

/** The end of the id of a graph that is given a rating. */
const GIVEN_RATING = /\.onnx-\d+$/i;

export function familyOf(network: Pick<NetworkSummary, 'id' | 'file'>): Family {
  if (network.file === null) return 'built in';
  if (GIVEN_RATING.test(network.id)) return `file ${network.file}`;
  // The server says that a run imitates people if it was trained on personal games.
  return network.id.startsWith('run-') ? 'personal' : 'files';
}

/** For sorting: families in the order of lists, those of one file by their paths. */
export function compareFamilies(one: Family, other: Family): number {
  return orderOf(one) - orderOf(other) || one.localeCompare(other);
}

/** Each family once, in the order of lists. */
export function familiesOf(families: readonly Family[]): Family[] {
  return [...new Set(families)].sort(compareFamilies);
}

/** The name of the file of a family of one file; null for other families. */
export function fileOf(family: Family): string | null {
  return family.startsWith('file ') ? family.slice('file '.length).replace(/^.*[/\\]/, '') : null;
}

function orderOf(family: Family): number {
  if (family === 'personal') return 3;
  return family === 'built in' ? 0 : family === 'files' ? 1 : 2;
}
