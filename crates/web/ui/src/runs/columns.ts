/** The curves of runs as the columns of a chart, one after another on the same axis. */

import type { Curves } from '../server/types.ts';
import { smoothed } from './curves-store.ts';
import { type Column, lastOf } from './line-ends.ts';
import type { Metric } from './metrics.ts';

/** A run in a chart. */
export interface Drawn {
  name: string;
  curves: Curves;
  /** Samples per step, if the recipe gives them. */
  batch: number | null;
}

export type Axis = 'step' | 'positions' | 'time';

export const UNITS: Record<Axis, string> = { step: 'steps', positions: 'positions', time: 'minutes' };

/** A loss this many times its median is a spike. */
const SPIKE = 3;

export interface Columns {
  x: number[];
  /** Three per run. */
  columns: Column[];
  baseline: number | null;
}

/** The columns of a chart on one axis. */
export function columnsOf(metric: Metric, runs: readonly Drawn[], smoothing: number, axis: Axis): Columns {
  const parts = runs.map(({ curves, batch }) => {
    const raw = metric.train ? (curves.train.values[metric.train] ?? []) : [];
    const held = metric.heldOut ? (curves.held_out.values[metric.heldOut] ?? []) : [];
    const place = placer(curves, batch, axis);
    return { raw, held, train: curves.train.step.map(place), heldOut: curves.held_out.step.map(place) };
  });
  const x = [...new Set(parts.flatMap((part) => [...part.train, ...part.heldOut]))].sort((a, b) => a - b);
  const places = new Map(x.map((value, index) => [value, index]));
  const spread = (at: readonly number[], values: Column): Column => {
    const column = Array<number | null>(x.length).fill(null);
    for (const [index, value] of at.entries()) column[places.get(value) as number] = values[index] ?? null;
    return column;
  };
  const columns = parts.flatMap((part) => [spread(part.train, part.raw), spread(part.train, smoothed(part.raw, metric.exact ? 0 : smoothing)), spread(part.heldOut, part.held)]);
  const { baseline } = metric;
  const known = baseline ? runs.map(({ curves }) => lastOf(curves.held_out.values[baseline] ?? [])).find((value) => value !== null) : null;
  return { x, columns, baseline: known ?? null };
}

/** Maps a step to a place on the axis. Time adds up the batches at the speed given in the log. */
export function placer(curves: Curves, batch: number | null, axis: Axis): (step: number) => number {
  if (axis === 'step' || batch === null) return (step) => step;
  if (axis === 'positions') return (step) => step * batch;
  const { step: steps, values } = curves.train;
  const speeds = values['positions_per_second'] ?? [];
  const minutes: number[] = [];
  let sum = 0;
  for (const [index, step] of steps.entries()) {
    const speed = speeds[index];
    if (speed) sum += ((step - (steps[index - 1] ?? 0)) * batch) / speed / 60;
    minutes.push(sum);
  }
  return (step) => {
    const after = steps.findIndex((one) => one >= step);
    return minutes[after < 0 ? minutes.length - 1 : after] ?? 0;
  };
}

/** The step of the first spike or of the first value that is not a number, as a sentence. */
export function troubleOf(metric: Metric, run: Drawn): string | null {
  if (!metric.train || !metric.train.endsWith('loss')) return null;
  const values = run.curves.train.values[metric.train] ?? [];
  const steps = run.curves.train.step;
  const broken = values.findIndex((value) => value === null);
  if (broken >= 0) return `${run.name}: the loss is not a number at step ${steps[broken]?.toLocaleString('en')}.`;
  const sorted = [...(values as number[])].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  // The first values of a run are naturally high.
  const from = Math.ceil(values.length / 10);
  const spike = values.findIndex((value, index) => index >= from && value !== null && value > SPIKE * median);
  return spike >= 0 ? `${run.name}: the loss jumps to ${(values[spike] as number).toPrecision(3)} at step ${steps[spike]?.toLocaleString('en')}.` : null;
}
