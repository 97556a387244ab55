/**
 * One metric over the steps, the positions or the time: raw values faint, smoothed values on top, held-out values as
 * points, baselines as dashed rules. Several runs are overlaid, each in its own colour and dash pattern.
 */

import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Curves } from '../server/types.ts';
import { saveBlob } from '../shell/save.ts';
import { axisTexts, axisWidth } from './axis-text.ts';
import { smoothed } from './curves-store.ts';
import { AXIS_FONT, type Column, type LineEnd, OF_A_RUN, drawLineEnds, endsOf, lastOf } from './line-ends.ts';
import type { Metric } from './metrics.ts';

/** A run in a chart. */
export interface Drawn {
  name: string;
  curves: Curves;
  /** Samples per step, if the recipe gives them. */
  batch: number | null;
}

export type Axis = 'step' | 'positions' | 'time';

interface Props {
  metric: Metric;
  runs: Drawn[];
  smoothing: number;
  logarithmic: boolean;
  axis: Axis;
}

const HEIGHT = 232;
/** Room to the right of the lines for their names, in pixels. */
const NAMES_WIDTH = 92;
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [12, 2]];
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

export function valueText(metric: Metric, value: number | null): string {
  if (value === null) return '';
  if (metric.percent) return `${(100 * value).toFixed(1)} %`;
  const shown = value * (metric.factor ?? 1);
  if (Math.abs(shown) >= 1e4) return Math.round(shown).toLocaleString('en');
  return Math.abs(shown) < 1e-3 && shown !== 0 ? shown.toExponential(2) : shown.toPrecision(4);
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

/** True if the reader chose a part of the axis: the scale then does not end where the data do. */
function isZoomed(chart: uPlot): boolean {
  const { min, max } = chart.scales['x'] ?? {};
  const known = chart.data[0];
  const [first, last] = [known[0], known.at(-1)];
  if (min === undefined || max === undefined || min === null || max === null || first === undefined || last === undefined || first === last) return false;
  return min > first || max < last;
}

export const UNITS: Record<Axis, string> = { step: 'steps', positions: 'positions', time: 'minutes' };

export function Chart({ metric, runs, smoothing, logarithmic, axis }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const figure = useRef<HTMLElement>(null);
  const plot = useRef<uPlot>(null);
  const [at, setAt] = useState<number | null>(null);
  const { x, columns, baseline } = columnsOf(metric, runs, smoothing, axis);
  const scale = metric.percent ? 100 : (metric.factor ?? 1);
  const scaled = columns.map((column) => column.map((value) => (value === null ? null : value * scale)));
  const data = [x, ...scaled, x.map(() => (baseline === null ? null : baseline * scale))] as uPlot.AlignedData;
  const names = runs.map((run) => run.name).join('/');
  const ends = useRef<(until: number) => LineEnd[]>(() => []);
  ends.current = (until) => endsOf(metric, runs, scaled, baseline === null ? null : baseline * scale, until);

  useEffect(() => {
    const element = host.current as HTMLDivElement;
    const colour = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
    const line = { stroke: colour('--rule'), width: 1 };
    const frame = { stroke: colour('--ink-3'), grid: line, ticks: line, font: AXIS_FONT };
    const ofRun = (index: number): uPlot.Series[] => {
      const ink = colour(`--series-${(index % 6) + 1}`);
      const dash = DASHES[index % DASHES.length] as number[];
      return [
        { stroke: `${ink}44`, width: 1, spanGaps: true, points: { show: false } },
        { stroke: ink, width: 1.5, dash, spanGaps: true, points: { show: false } },
        { stroke: ink, width: 2.5, dash, spanGaps: true, points: { show: true, size: 6 } },
      ];
    };
    const chart = new uPlot(
      {
        width: element.clientWidth || 400,
        height: HEIGHT,
        padding: [8, NAMES_WIDTH, 0, 0],
        scales: { x: { time: false }, y: { distr: logarithmic ? 3 : 1 } },
        legend: { show: false },
        cursor: { sync: { key: 'runs' }, points: { show: false } },
        axes: [{ ...frame, size: 28, label: UNITS[axis], labelSize: 16, labelFont: AXIS_FONT }, { ...frame, size: (_, texts) => axisWidth(texts), values: (_, splits) => axisTexts(splits) }],
        series: [{}, ...runs.flatMap((_, index) => ofRun(index)), { stroke: colour('--ink-3'), width: 1, dash: [6, 4], points: { show: false } }],
        hooks: {
          setCursor: [(chart) => setAt(chart.cursor.idx ?? null)],
          draw: [
            (chart) => {
              const { min, max } = chart.scales['x'] ?? {};
              const beyond = chart.data[0].findIndex((place) => place > (max ?? Number.POSITIVE_INFINITY));
              const drawn = drawLineEnds(chart, ends.current(beyond < 0 ? chart.data[0].length - 1 : beyond - 1), colour);
              if (!figure.current) return;
              figure.current.dataset['ends'] = drawn.join(', ');
              figure.current.dataset['range'] = `${min?.toFixed(1)} to ${max?.toFixed(1)}`;
            },
          ],
        },
      },
      data,
      element,
    );
    plot.current = chart;
    const resize = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      chart.destroy();
    };
  }, [logarithmic, metric, names, axis]);
  useEffect(() => {
    const chart = plot.current;
    if (!chart) return;
    // A reader who looks at a part keeps it while points arrive; one who looks at everything sees all of them.
    const zoomed = isZoomed(chart);
    chart.setData(data, !zoomed);
    if (zoomed) chart.redraw();
  }, [runs, smoothing, x.at(-1)]);

  const shown = (column: Column | undefined): number | null => {
    if (!column) return null;
    if (at === null) return lastOf(column);
    return column[at] ?? lastOf(column.slice(0, at + 1));
  };
  const parts = runs.map((run, index) => ({
    name: run.name,
    train: shown(columns[index * OF_A_RUN + 1]),
    held: shown(columns[index * OF_A_RUN + 2]),
  }));
  const spoken = parts.map((part) => `${part.name}: training ${valueText(metric, part.train) || 'none'}, held out ${valueText(metric, part.held) || 'none'}`);
  const save = () =>
    host.current?.querySelector('canvas')?.toBlob((blob) => {
      if (blob) saveBlob(`${metric.name}.png`, blob);
    });
  return (
    <figure class="chart" ref={figure} data-points={x.length} data-metric={metric.name}>
      <figcaption>
        <h3>{metric.name}</h3>
        <p class="figure chart-legend">
          {parts.map((part, index) => part.train === null && part.held === null ? null : (
            <span key={part.name} class={runs.length > 1 ? `series-${(index % 6) + 1} legend-run` : undefined}>
              {runs.length > 1 && <b>{part.name} </b>}
              {part.train !== null && <span class={runs.length > 1 ? undefined : 'legend-train'}>training {valueText(metric, part.train)} </span>}
              {part.held !== null && <span class={runs.length > 1 ? undefined : 'legend-held'}>held out {valueText(metric, part.held)}</span>}
            </span>
          ))}
          {baseline !== null && (
            <span class="legend-baseline">
              {metric.baselineName} {valueText(metric, baseline)}
            </span>
          )}
          {at !== null && x[at] !== undefined && (
            <span class="legend-baseline legend-at">
              at {axis === 'time' ? x[at].toFixed(1) : x[at].toLocaleString('en')} {UNITS[axis]}
            </span>
          )}
        </p>
        <button type="button" class="link" onClick={save} aria-label={`PNG of ${metric.name}`}>
          PNG
        </button>
      </figcaption>
      <div ref={host} role="img" aria-label={`${metric.name}: ${spoken.join('; ')}${baseline === null ? '' : `; ${metric.baselineName} ${valueText(metric, baseline)}`}; up to ${x.at(-1)?.toFixed(0) ?? 0} ${UNITS[axis]}`} />
    </figure>
  );
}
