/**
 * One metric over the steps, the positions or the time: raw values faint, smoothed values on top, held-out values as
 * points, baselines as dashed rules. Several runs are overlaid, each in its own colour and dash pattern.
 */

import type uPlot from 'uplot';
import { saveBlob } from '../shell/save.ts';
import { ChartButtons } from './chart-buttons.tsx';
import { type Axis, type Drawn, UNITS, columnsOf } from './columns.ts';
import { type Column, OF_A_RUN, endsOf, lastOf } from './line-ends.ts';
import { type Metric, valueText } from './metrics.ts';
import type { ChartTools } from './use-arrangement.ts';
import { usePlot } from './use-plot.ts';

interface Props {
  metric: Metric;
  runs: Drawn[];
  smoothing: number;
  logarithmic: boolean;
  axis: Axis;
  tools: ChartTools;
}

export function Chart({ metric, runs, smoothing, logarithmic, axis, tools }: Props) {
  const { x, columns, baseline } = columnsOf(metric, runs, smoothing, axis);
  const scale = metric.percent ? 100 : (metric.factor ?? 1);
  const scaled = columns.map((column) => column.map((value) => (value === null ? null : value * scale)));
  const level = baseline === null ? null : baseline * scale;
  const { host, figure, at } = usePlot({
    metric,
    runs,
    axis,
    logarithmic,
    smoothing,
    data: [x, ...scaled, x.map(() => level)] as uPlot.AlignedData,
    endsOf: (part) => endsOf(metric, runs, scaled, level, part),
  });
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
  const place = at === null ? undefined : x[at];
  const spoken = parts.map((part) => `${part.name}: training ${valueText(metric, part.train) || 'none'}, held out ${valueText(metric, part.held) || 'none'}`);
  const save = () =>
    host.current?.querySelector('canvas')?.toBlob((blob) => {
      if (blob) saveBlob(`${metric.name}.png`, blob);
    });
  return (
    <figure class="chart" ref={figure} data-points={x.length} data-metric={metric.name} data-pinned={tools.pinned || undefined}>
      <figcaption>
        <h3>{metric.name}</h3>
        <Legend metric={metric} parts={parts} baseline={baseline} place={place === undefined ? null : `${axis === 'time' ? place.toFixed(1) : place.toLocaleString('en')} ${UNITS[axis]}`} />
        <ChartButtons name={metric.name} tools={tools} onSave={save} />
      </figcaption>
      <div ref={host} role="img" aria-label={`${metric.name}: ${spoken.join('; ')}${baseline === null ? '' : `; ${metric.baselineName} ${valueText(metric, baseline)}`}; up to ${x.at(-1)?.toFixed(0) ?? 0} ${UNITS[axis]}`} />
    </figure>
  );
}

interface LegendProps {
  metric: Metric;
  parts: { name: string; train: number | null; held: number | null }[];
  baseline: number | null;
  /** The place on the axis whose values are shown; null for the last values. */
  place: string | null;
}

function Legend({ metric, parts, baseline, place }: LegendProps) {
  const several = parts.length > 1;
  return (
    <p class="figure chart-legend">
      {parts.map((part, index) => part.train === null && part.held === null ? null : (
        <span key={part.name} class={several ? `series-${(index % 6) + 1} legend-run` : undefined}>
          {several && <b>{part.name} </b>}
          {part.train !== null && <span class={several ? undefined : 'legend-train'}>training {valueText(metric, part.train)} </span>}
          {part.held !== null && <span class={several ? undefined : 'legend-held'}>held out {valueText(metric, part.held)}</span>}
        </span>
      ))}
      {baseline !== null && (
        <span class="legend-baseline">
          {metric.baselineName} {valueText(metric, baseline)}
        </span>
      )}
      {place !== null && <span class="legend-baseline legend-at">at {place}</span>}
    </p>
  );
}
