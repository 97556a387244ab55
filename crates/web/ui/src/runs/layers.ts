/** Lengths of each layer along a training, from the columns of its log. */

import type { Series } from '../server/types.ts';

/** What is drawn of a layer: its gradient before clipping, what a step changed, and that as a share of its numbers. */
export type Length = 'gradient' | 'update' | 'relative';

export interface LayerPoint {
  step: number;
  value: number;
}

/** The layers of several runs; numbers in their names are compared as numbers. */
export function layersOf(runs: readonly Series[]): string[] {
  const names = new Set(runs.flatMap((series) => Object.keys(series.values).flatMap((key) => (key.endsWith('.gradient') ? [key.slice(0, -'.gradient'.length)] : []))));
  return [...names].sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}

/** One layer of a run, where its log has the numbers. */
export function lengthsOf(series: Series, layer: string, length: Length): LayerPoint[] {
  const column = (name: string) => series.values[`${layer}.${name}`] ?? [];
  const [lengths, weights] = length === 'relative' ? [column('update'), column('weights')] : [column(length), null];
  return series.step.flatMap((step, index) => {
    const value = lengths[index] ?? null;
    const whole = weights ? (weights[index] ?? null) : 1;
    return value === null || whole === null || whole === 0 ? [] : { step, value: value / whole };
  });
}

/** The powers of ten around all values that have a logarithm; null where there is none. */
export function decadesOf(values: readonly number[]): { low: number; high: number } | null {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return null;
  const [least, most] = rangeOf(positive);
  const low = Math.floor(Math.log10(least));
  return { low, high: Math.max(low + 1, Math.ceil(Math.log10(most))) };
}

/** The least and the greatest of some values. There may be more of them than a call takes arguments. */
export function rangeOf(values: readonly number[]): [number, number] {
  return values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]);
}

/** The height of a value on a logarithmic axis, 0 at its top and 1 at its bottom, where everything smaller lies. */
export function heightOf(value: number, { low, high }: { low: number; high: number }): number {
  const place = value > 0 ? (Math.log10(value) - low) / (high - low) : 0;
  return 1 - Math.min(1, Math.max(0, place));
}
