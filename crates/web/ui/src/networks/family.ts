/** Networks that play like people, by where they come from. Mixed in one list or chart, they would look like facts about people. */

import type { NetworkSummary } from '../server/types.ts';

/** The one that is built in, told a rating; files of others, as Maia's; networks trained on the games of one person. */
export type Family = 'built in' | 'files' | 'personal';

export const FAMILIES: readonly Family[] = ['built in', 'files', 'personal'];

export function familyOf(network: Pick<NetworkSummary, 'id' | 'file'>): Family {
  if (network.file === null) return 'built in';
  // The server says that a run imitates people where it was trained on personal games.
  return network.id.startsWith('run-') ? 'personal' : 'files';
}
