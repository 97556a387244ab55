/** A table of results that scrolls sideways where the page is narrow, and the cells that several of them have. */

import type { ComponentChildren } from 'preact';
import { type Tally, gamesOf, signed } from './reports.ts';

/** Columns with figures are set to the right. */
export interface Column {
  title: string;
  figures?: boolean;
}

/** A column of figures. */
export const figures = (title: string): Column => ({ title, figures: true });

export function ResultTable({ label, columns, children }: { label: string; columns: Column[]; children: ComponentChildren }) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={column.figures ? 'number' : undefined}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

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

/** A difference with its interval; what is missing has no bound. */
export function difference(elo: number | null, lower: number | null | undefined, upper: number | null | undefined): string {
  return `${elo === null ? '' : signed(elo)} (${signed(lower ?? -Infinity)} to ${signed(upper ?? Infinity)})`;
}
