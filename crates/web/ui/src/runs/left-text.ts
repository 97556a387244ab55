/** How long a training will still take, or that nothing has been heard of it. */

import { plural } from '../analyse/numbers.ts';
import type { RunSummary } from '../server/types.ts';

/** A training writes an entry every few seconds, except for a validation; self-play keeps a game now and then. */
const QUIET_SECONDS = 40;
const QUIET_SECONDS_OF_SELF_PLAY = 120;
/** A slow training has its entries this many steps apart, or fewer. */
const QUIET_STEPS = 60;

/**
 * The time left at the present speed. The server knows at once that a run of this machine has ended, but only after minutes that one
 * copied from another machine has: until then the age of its last entry is given in place of a time that nothing will keep.
 */
export function leftText(run: RunSummary, silence: number): string {
  if (run.status !== 'running') return '';
  if (silence >= quietSeconds(run)) return `nothing new for ${plural(Math.floor(silence), 'second')}: it may have been stopped`;
  if (run.steps === null || run.batch === null || !run.positions_per_second) return '';
  const minutes = ((run.steps - run.step) * run.batch) / run.positions_per_second / 60;
  return `about ${minutes >= 90 ? `${(minutes / 60).toFixed(1)} hours` : plural(Math.ceil(minutes), 'minute')} left`;
}

/** The silence from which on a run may have been stopped. */
function quietSeconds({ self_play: selfPlay, batch, positions_per_second: speed }: RunSummary): number {
  if (selfPlay) return QUIET_SECONDS_OF_SELF_PLAY;
  return batch !== null && speed ? Math.max(QUIET_SECONDS, (QUIET_STEPS * batch) / speed) : QUIET_SECONDS;
}
