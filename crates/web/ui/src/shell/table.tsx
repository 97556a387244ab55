/** A table that scrolls sideways where the page is narrow. */

import type { ComponentChildren } from 'preact';

/** Columns with figures are set to the right. */
export interface Column {
  title: string;
  figures?: boolean;
}

/** A column of figures. */
export const figures = (title: string): Column => ({ title, figures: true });

export function Table({ label, columns, children }: { label: string; columns: Column[]; children: ComponentChildren }) {
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
