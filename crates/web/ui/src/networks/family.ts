/** Networks that play like people, by origin. Mixed in one list or chart, they would look like facts about people. */

import type { NetworkSummary } from '../server/types.ts';

/** The built-in network, given a rating; files from others, such as Maia's; networks trained on one person's games. */
export type Family = 'built in' | 'files' | 'personal';

export const FAMILIES: readonly Family[] = ['built in', 'files', 'personal'];

export function familyOf(network: Pick<NetworkSummary, 'id' | 'file'>): Family {
  if (network.file === null) return 'built in';
  // The server says that a run imitates people if it was trained on personal games.
  return network.id.startsWith('run-') ? 'personal' : 'files';
}
