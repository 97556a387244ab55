/** A table that scrolls sideways where the page is narrow. */

import type { ComponentChildren } from 'preact';

/** Columns with figures are set to the right. */
export interface Column {
  title: string;
  figures?: boolean;
  /** Heard and not seen. */
  hidden?: boolean;
  /** Class of its cells, by which narrow pages leave it out. */
  kind?: string;
}

/** A column of figures. */
export const figures = (title: string): Column => ({ title, figures: true });

interface Props {
  label: string;
  columns: Column[];
  children: ComponentChildren;
  /** Class of the table. */
  kind?: string;
  /** True if the label is visible above the table. */
  captioned?: boolean;
}

export function Table({ label, columns, children, kind, captioned }: Props) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table class={kind}>
        {captioned && <caption>{label}</caption>}
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={[column.kind, column.figures && 'number'].filter(Boolean).join(' ') || undefined}>
                {column.hidden ? <span class="sr-only">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
