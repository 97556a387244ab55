/** Cells shared by several tables of results. */

import { type Tally, gamesOf, signed } from './reports.ts';

/** Two cells: how many games, and how they ended. */
export function GamesCells({ games }: { games: Tally }) {
  return (
    <>
      <td class="number">{gamesOf(games)}</td>
      <td class="number">
        {games.wins} / {games.draws} / {games.losses}
      </td>
    </>
  );
}

/** A difference with its interval; a missing end is unbounded. */
export function difference(elo: number | null, lower: number | null | undefined, upper: number | null | undefined): string {
  return `${elo === null ? '' : signed(elo)} (${signed(lower ?? -Infinity)} to ${signed(upper ?? Infinity)})`;
}
