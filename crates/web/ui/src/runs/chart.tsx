/** One metric over the steps: raw values faint, smoothed on top, held-out as points, baselines as dashed rules. */

import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Curves } from '../server/types.ts';
import { smoothed } from './curves-store.ts';
import type { Metric } from './metrics.ts';

interface Props {
  metric: Metric;
  curves: Curves;
  smoothing: number;
  logarithmic: boolean;
}

const HEIGHT = 220;

type Column = (number | null)[];

/** The columns of a chart on one axis of steps: raw, smoothed, held-out, baseline. */
export function columnsOf(metric: Metric, curves: Curves, smoothing: number): { steps: number[]; columns: [Column, Column, Column, Column] } {
  const raw = metric.train ? (curves.train.values[metric.train] ?? []) : [];
  const smooth = smoothed(raw, smoothing);
  const held = metric.heldOut ? (curves.held_out.values[metric.heldOut] ?? []) : [];
  const baseline = metric.baseline ? (curves.held_out.values[metric.baseline] ?? []) : [];
  const steps = [...new Set([...curves.train.step, ...curves.held_out.step])].toSorted((a, b) => a - b);
  const place = new Map(steps.map((step, index) => [step, index]));
  const spread = (at: readonly number[], values: Column): Column => {
    const column = Array<number | null>(steps.length).fill(null);
    for (const [index, step] of at.entries()) column[place.get(step) as number] = values[index] ?? null;
    return column;
  };
  const last = baseline.findLast((value) => value !== null) ?? null;
  return {
    steps,
    columns: [
      spread(curves.train.step, raw),
      spread(curves.train.step, smooth),
      spread(curves.held_out.step, held),
      steps.map(() => last),
    ],
  };
}

export function Chart({ metric, curves, smoothing, logarithmic }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const { steps, columns } = columnsOf(metric, curves, smoothing);
  const scale = metric.percent ? 100 : 1;
  const data = [steps, ...columns.map((column) => column.map((value) => (value === null ? null : value * scale)))] as uPlot.AlignedData;

  useEffect(() => {
    const element = host.current as HTMLDivElement;
    const colour = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
    const chart = new uPlot(
      {
        width: element.clientWidth || 400,
        height: HEIGHT,
        scales: { x: { time: false }, y: { distr: logarithmic ? 3 : 1 } },
        legend: { show: false },
        cursor: { sync: { key: 'runs' }, points: { show: false } },
        axes: [
          { stroke: colour('--ink-3'), grid: { stroke: colour('--rule'), width: 1 }, ticks: { stroke: colour('--rule') } },
          { stroke: colour('--ink-3'), grid: { stroke: colour('--rule'), width: 1 }, ticks: { stroke: colour('--rule') }, size: 56 },
        ],
        series: [
          {},
          { stroke: `${colour('--accent')}44`, width: 1, spanGaps: true, points: { show: false } },
          { stroke: colour('--accent'), width: 1.5, spanGaps: true, points: { show: false } },
          { stroke: colour('--net-b'), width: 2.5, spanGaps: true, points: { show: true, size: 6 } },
          { stroke: colour('--ink-3'), width: 1, dash: [6, 4], points: { show: false } },
        ],
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
  }, [logarithmic, metric]);
  useEffect(() => plot.current?.setData(data), [curves, smoothing]);

  const lastOf = (column: Column) => column.findLast((value) => value !== null) ?? null;
  const text = (value: number | null) => (value === null ? '' : metric.percent ? `${(100 * value).toFixed(1)} %` : value.toPrecision(4));
  const [, smooth, held, baseline] = columns;
  const summary = [
    lastOf(smooth) !== null ? `training ${text(lastOf(smooth))}` : '',
    lastOf(held) !== null ? `held out ${text(lastOf(held))}` : '',
    lastOf(baseline) !== null ? `${metric.baselineName} ${text(lastOf(baseline))}` : '',
  ].filter(Boolean);
  return (
    <figure class="chart" data-points={steps.length} data-metric={metric.name}>
      <figcaption>
        <h3>{metric.name}</h3>
        <p class="figure chart-legend">
          {lastOf(smooth) !== null && <span class="legend-train">training {text(lastOf(smooth))}</span>}
          {lastOf(held) !== null && <span class="legend-held">held out {text(lastOf(held))}</span>}
          {lastOf(baseline) !== null && (
            <span class="legend-baseline">
              {metric.baselineName} {text(lastOf(baseline))}
            </span>
          )}
        </p>
      </figcaption>
      <div ref={host} role="img" aria-label={`${metric.name}: ${summary.join(', ') || 'no values yet'} after ${steps.at(-1) ?? 0} steps`} />
    </figure>
  );
}
