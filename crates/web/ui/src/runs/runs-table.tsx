/** All runs as a table: their results on held-out samples, so far or at the end, and the keys in which their recipes differ. A click sorts. */

import { useState } from 'preact/hooks';
import { OUTCOMES, type Row, outcomeText, sortedBy } from './run-rows.ts';
import type { ManyRuns } from './use-many-runs.ts';

interface Order {
  column: string;
  falling: boolean;
}

export function RunsTable({ many }: { many: ManyRuns }) {
  const { rows, keys } = many;
  const [order, setOrder] = useState<Order>({ column: '', falling: false });
  const head = (column: string, title: string, number: boolean) => <Head key={column} column={column} title={title} number={number} order={order} onOrder={setOrder} />;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="All runs">
      <table class="runs-table">
        <thead>
          <tr>
            {head('name', 'Run', false)}
            {head('step', 'steps', true)}
            {OUTCOMES.map(({ key, title }) => head(key, title, true))}
            {keys.map((key) => head(`key ${key}`, key, false))}
            <th scope="col">Notes</th>
          </tr>
        </thead>
        <tbody>
          {sortedBy(rows, order.column, order.falling).map((row) => (
            <RunRow key={row.name} row={row} many={many} />
          ))}
        </tbody>
      </table>
      {rows.some((row) => row.unfinished && row.metrics.some((value) => value !== null)) && <p class="note runs-table-note">In italics: the newest validation of a run that has not ended.</p>}
    </div>
  );
}

interface HeadProps {
  column: string;
  title: string;
  number: boolean;
  order: Order;
  onOrder: (order: Order) => void;
}

/** The head of a column; a second click turns the order round. */
function Head({ column, title, number, order, onOrder }: HeadProps) {
  const current = order.column === column;
  return (
    <th scope="col" class={number ? 'number' : undefined} aria-sort={current ? (order.falling ? 'descending' : 'ascending') : undefined}>
      <button type="button" class="link" onClick={() => onOrder({ column, falling: current && !order.falling })}>
        {title}
      </button>
    </th>
  );
}

function RunRow({ row, many }: { row: Row; many: ManyRuns }) {
  const { keys, hovered, hover, picked, toggle } = many;
  return (
    <tr
      data-hovered={hovered === row.name || undefined}
      data-picked={picked.includes(row.name) || undefined}
      onPointerEnter={() => hover(row.name)}
      onPointerLeave={() => hover(null)}
      onFocusIn={() => hover(row.name)}
      onFocusOut={() => hover(null)}
    >
      <th scope="row">
        <div class="runs-name">
          <label class="pick">
            <input type="checkbox" aria-label={`Pick ${row.name}`} checked={picked.includes(row.name)} onChange={() => toggle(row.name)} />
          </label>
          <div>
            <a href={`/runs/${encodeURIComponent(row.name)}`}>{row.name}</a>
            {row.problem && <p class="problem">{row.problem}</p>}
          </div>
        </div>
      </th>
      <td class="number">{row.step.toLocaleString('en')}</td>
      {row.metrics.map((value, index) => (
        <td key={OUTCOMES[index]?.key} class="number" data-unfinished={row.unfinished || undefined}>
          {outcomeText(index, value)}
        </td>
      ))}
      {keys.map((key) => (
        <td key={key}>
          <span class="long">{row.keys.get(key) ?? ''}</span>
        </td>
      ))}
      <td>
        <span class="long">{row.notes.split('\n')[0]}</span>
      </td>
    </tr>
  );
}
