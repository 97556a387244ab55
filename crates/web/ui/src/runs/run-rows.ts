/** All runs as rows: their results on held-out samples and the keys in which their recipes differ. */

import type { RunDetail, RunSummary } from '../server/types.ts';
import { keysOf } from './recipe-keys.ts';

/** Metrics from the validation of the exported weights, or from the newest validation of a run without one: it has not ended, or is self-play. */
export const OUTCOMES: readonly { key: string; title: string; percent: boolean }[] = [
  { key: 'policy_loss', title: 'policy loss', percent: false },
  { key: 'top1', title: 'top 1', percent: true },
  { key: 'value_loss', title: 'value loss', percent: false },
];

export interface Row {
  name: string;
  step: number;
  notes: string;
  problem: string | null;
  /** True if the metrics are from a run that has not ended. */
  unfinished: boolean;
  /** One for each of `OUTCOMES`. */
  metrics: (number | null)[];
  keys: Map<string, string>;
}

export function rowOf(run: RunSummary, detail: RunDetail | undefined): Row {
  const exported = (detail?.outcome as { validation?: Record<string, number> } | null | undefined)?.validation;
  const validation = exported ?? (detail?.validation as Record<string, number> | null | undefined);
  return {
    name: run.name,
    step: run.step,
    notes: detail?.notes ?? '',
    problem: run.problem,
    unfinished: !detail?.outcome && Boolean(validation),
    metrics: OUTCOMES.map(({ key }) => validation?.[key] ?? null),
    keys: keysOf(detail?.recipe ?? ''),
  };
}

/** The keys that do not have one value in all recipes, in the order of the recipes. */
export function differingKeys(rows: readonly Row[]): string[] {
  const known = rows.filter((row) => row.keys.size > 0);
  const names = new Set(known.flatMap((row) => [...row.keys.keys()]));
  return [...names].filter((key) => new Set(known.map((row) => row.keys.get(key))).size > 1);
}

export function outcomeText(index: number, value: number | null): string {
  if (value === null) return '';
  return OUTCOMES[index]?.percent ? `${(100 * value).toFixed(1)} %` : value.toFixed(4);
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

/** The value of a key as a number, if it is one. */
export function numberOf(text: string | null | undefined): number | null {
  return text !== null && text !== undefined && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : null;
}

/** Rows sorted by a column; rows without a value come last either way. Numbers are compared as numbers. */
export function sortedBy(rows: readonly Row[], column: string, falling: boolean): Row[] {
  const value = (row: Row): string | number | null => {
    if (column === 'name') return row.name;
    if (column === 'step') return row.step;
    if (column.startsWith('key ')) {
      const text = row.keys.get(column.slice(4)) ?? null;
      return numberOf(text) ?? text;
    }
    return row.metrics[OUTCOMES.findIndex(({ key }) => key === column)] ?? null;
  };
  if (!column) return [...rows];
  return [...rows].sort((one, other) => {
    const [first, second] = [value(one), value(other)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    const order = typeof first === 'number' && typeof second === 'number' ? first - second : String(first).localeCompare(String(second), 'en', { numeric: true });
    return falling ? -order : order;
  });
}
