/** Lengths of each layer over a training run, from the columns of its log. */

import type { Series } from '../server/types.ts';

/** The length drawn for a layer: its gradient before clipping, a step's change, or that as a share of its weights. */
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

/** One layer of a run, at the steps for which its log has the numbers. */
export function lengthsOf(series: Series, layer: string, length: Length): LayerPoint[] {
  const column = (name: string) => series.values[`${layer}.${name}`] ?? [];
  const [lengths, weights] = length === 'relative' ? [column('update'), column('weights')] : [column(length), null];
  return series.step.flatMap((step, index) => {
    const value = lengths[index] ?? null;
    const whole = weights ? (weights[index] ?? null) : 1;
    return value === null || whole === null || whole === 0 ? [] : { step, value: value / whole };
  });
}

/** The powers of ten around all values that have a logarithm; null if there is none. */
export function decadesOf(values: readonly number[]): { low: number; high: number } | null {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return null;
  const [least, most] = rangeOf(positive);
  const low = Math.floor(Math.log10(least));
  return { low, high: Math.max(low + 1, Math.ceil(Math.log10(most))) };
}

/** The smallest and the largest of some values. There may be more values than a call can take arguments. */
export function rangeOf(values: readonly number[]): [number, number] {
  return values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]);
}

/** The height of a value on a logarithmic axis, 0 at its top and 1 at its bottom, where all smaller values lie. */
export function heightOf(value: number, { low, high }: { low: number; high: number }): number {
  const place = value > 0 ? (Math.log10(value) - low) / (high - low) : 0;
  return 1 - Math.min(1, Math.max(0, place));
}
