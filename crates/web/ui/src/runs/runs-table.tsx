/** All runs as a table: their results on held-out samples, so far or at the end, and the keys in which their recipes differ. A click sorts. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from '../server/request.ts';
import type { RunDetail, RunSummary } from '../server/types.ts';
import { keysOf } from './recipe-keys.ts';

/** Metrics from the validation of the exported weights, or from the newest validation of a run that has not ended. */
const METRICS: [key: string, title: string, percent: boolean][] = [
  ['policy_loss', 'policy loss', false],
  ['top1', 'top 1', true],
  ['value_loss', 'value loss', false],
];

interface Row {
  name: string;
  step: number;
  notes: string;
  problem: string | null;
  /** True if the metrics are from a run that has not ended. */
  unfinished: boolean;
  metrics: (number | null)[];
  keys: Map<string, string>;
}

interface Props {
  runs: RunSummary[];
  /** Words that a run's name, its notes or its keys (`network.blocks=10`) must contain. */
  filter: string;
}

export function RunsTable({ runs, filter }: Props) {
  const [details, setDetails] = useState<Map<string, RunDetail>>(new Map());
  /** The state in which each run was when its details were requested. */
  const asked = useRef(new Map<string, string>());
  const [order, setOrder] = useState<{ column: string; falling: boolean }>({ column: '', falling: false });
  useEffect(() => {
    let replaced = false;
    const load = async () => {
      for (const run of runs) {
        if (asked.current.get(run.name) === stateOf(run)) continue;
        // A run that was deleted in the meantime is left out.
        const detail = await get<RunDetail>(`/runs/${encodeURIComponent(run.name)}`).catch(() => null);
        if (replaced) return;
        asked.current.set(run.name, stateOf(run));
        if (detail) setDetails((known) => new Map(known).set(run.name, detail));
      }
    };
    void load();
    return () => {
      replaced = true;
    };
  }, [runs.map((run) => `${run.name} ${stateOf(run)}`).join('\n')]);
  const rows = runs.map((run): Row => {
    const detail = details.get(run.name);
    const exported = (detail?.outcome as { validation?: Record<string, number> } | null | undefined)?.validation;
    const validation = exported ?? (detail?.validation as Record<string, number> | null | undefined);
    return { name: run.name, step: run.step, notes: detail?.notes ?? '', problem: run.problem, unfinished: !exported && Boolean(validation), metrics: METRICS.map(([key]) => validation?.[key] ?? null), keys: keysOf(detail?.recipe ?? '') };
  });
  const names = new Set(rows.flatMap((row) => [...row.keys.keys()]));
  const keys = [...names].filter((key) => new Set(rows.filter((row) => row.keys.size > 0).map((row) => row.keys.get(key))).size > 1);
  const sorted = sortedBy(filtered(rows, filter), order.column, order.falling);
  const head = (column: string, title: string, number: boolean) => (
    <th key={column} scope="col" class={number ? 'number' : undefined} aria-sort={order.column === column ? (order.falling ? 'descending' : 'ascending') : undefined}>
      <button type="button" class="link" onClick={() => setOrder({ column, falling: order.column === column && !order.falling })}>
        {title}
      </button>
    </th>
  );
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="All runs">
      <table class="runs-table">
        <thead>
          <tr>
            {head('name', 'Run', false)}
            {head('step', 'steps', true)}
            {METRICS.map(([key, title]) => head(key, title, true))}
            {keys.map((key) => head(`key ${key}`, key, false))}
            <th scope="col">Notes</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <a href={`/runs/${encodeURIComponent(row.name)}`}>{row.name}</a>
                {row.problem && <p class="problem">{row.problem}</p>}
              </th>
              <td class="number">{row.step.toLocaleString('en')}</td>
              {row.metrics.map((value, index) => (
                <td key={METRICS[index]?.[0]} class="number" data-unfinished={row.unfinished || undefined}>
                  {value === null ? '' : METRICS[index]?.[2] ? `${(100 * value).toFixed(1)} %` : value.toFixed(4)}
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
          ))}
        </tbody>
      </table>
      {rows.some((row) => row.unfinished && row.metrics.some((value) => value !== null)) && <p class="note runs-table-note">In italics: the newest validation of a run that has not ended.</p>}
    </div>
  );
}

/** A text that changes when a run has news: its details are then requested again. */
function stateOf(run: RunSummary): string {
  return `${run.status} ${run.log_bytes}`;
}

/** The rows that contain every word of a filter, in their name, their notes or a key: `sgd`, `network.blocks=10`. */
export function filtered(rows: readonly Row[], filter: string): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const keys = [...row.keys].map(([key, value]) => `${key}=${value.replaceAll('"', '')}`);
    // A value has to match as a whole, so that 1 does not find 10.
    const text = [row.name, row.notes].join('\n').toLowerCase();
    return words.every((word) => text.includes(word) || keys.some((key) => (word.includes('=') ? key.toLowerCase().endsWith(word) : key.toLowerCase().includes(word))));
  });
}

/** Rows sorted by a column; rows without a value come last either way. Numbers are compared as numbers. */
export function sortedBy(rows: readonly Row[], column: string, falling: boolean): Row[] {
  const value = (row: Row): string | number | null => {
    if (column === 'name') return row.name;
    if (column === 'step') return row.step;
    if (column.startsWith('key ')) {
      const text = row.keys.get(column.slice(4)) ?? null;
      return text !== null && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    }
    return row.metrics[METRICS.findIndex(([key]) => key === column)] ?? null;
  };
  if (!column) return [...rows];
  return [...rows].sort((one, other) => {
    const [first, second] = [value(one), value(other)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    const order = typeof first === 'number' && typeof second === 'number' ? first - second : String(first).localeCompare(String(second));
    return falling ? -order : order;
  });
}
