/** A table that scrolls sideways on a narrow page. */

import type { ComponentChildren } from 'preact';

/** Columns with figures are right-aligned. */
export interface Column {
  title: string;
  figures?: boolean;
  /** For screen readers only. */
  hidden?: boolean;
  /** Class of its cells, with which narrow pages leave the column out. */
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
