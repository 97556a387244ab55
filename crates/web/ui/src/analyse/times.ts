/** Seconds that the players spent on the moves of a game, as far as its PGN says. */

import type { TreeNode } from './tree.ts';

/**
 * For each node of a line the seconds spent on the move to it: those that were noted (`[%emt]`), else what the mover's clock
 * (`[%clk]`) lost since its last move, with the increment. `control` is the header TimeControl, such as `180+2` in seconds,
 * without which the first move of each side has no time. Null where nothing is known.
 */
export function timesOf(line: readonly TreeNode[], control: string | undefined): (number | null)[] {
  const [, base, increment = '0'] = /^(\d+)(?:\+(\d+))?$/.exec(control ?? '') ?? [];
  return line.map(({ remarks, parent }, ply) => {
    if (!parent) return null;
    if (remarks.emt !== undefined) return remarks.emt;
    const before = ply > 2 ? line[ply - 2]?.remarks.clock : base === undefined ? undefined : Number(base);
    if (remarks.clock === undefined || before === undefined) return null;
    // The increment comes after the move; sites leave it out for the first moves.
    return Math.max(0, before - remarks.clock + (ply > 2 || before !== remarks.clock ? Number(increment) : 0));
  });
}

/** `0.4 s`, `12 s`, `2:05 min`. */
export function timeText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1).replace(/\.0$/, '')} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`;
}
