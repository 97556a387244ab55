/** The drawing of a chart: uPlot in an element, with the names of its lines at their ends. */

import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { axisTexts, axisWidth } from './axis-text.ts';
import { type Axis, type Drawn, UNITS } from './columns.ts';
import { AXIS_FONT, type LineEnd, type Shown, drawLineEnds } from './line-ends.ts';
import type { Metric } from './metrics.ts';

const HEIGHT = 232;
/** Room to the right of the lines for their names, in pixels. */
const NAMES_WIDTH = 92;
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [12, 2]];

interface Wanted {
  metric: Metric;
  runs: readonly Drawn[];
  axis: Axis;
  logarithmic: boolean;
  smoothing: number;
  data: uPlot.AlignedData;
  /** Names of the lines as far as they are shown. */
  endsOf: (shown: Shown) => LineEnd[];
}

/** Draws in `host`; notes on `figure` what it has drawn. `at` is the index under the pointer, in this chart or another one. */
export function usePlot(wanted: Wanted) {
  const { metric, runs, axis, logarithmic, smoothing, data } = wanted;
  const host = useRef<HTMLDivElement>(null);
  const figure = useRef<HTMLElement>(null);
  const plot = useRef<uPlot>(null);
  const [at, setAt] = useState<number | null>(null);
  const latest = useRef(wanted);
  latest.current = wanted;
  useEffect(() => {
    const element = host.current as HTMLDivElement;
    const colour = (name: string) => getComputedStyle(element).getPropertyValue(name).trim();
    const drawEnds = (chart: uPlot) => {
      const { min, max } = chart.scales['x'] ?? {};
      const shown = { x: chart.data[0] as number[], min: min ?? Number.NEGATIVE_INFINITY, max: max ?? Number.POSITIVE_INFINITY, logarithmic: latest.current.logarithmic };
      const drawn = drawLineEnds(chart, latest.current.endsOf(shown), colour);
      if (!figure.current) return;
      figure.current.dataset['ends'] = drawn.join(', ');
      figure.current.dataset['range'] = `${min?.toFixed(1)} to ${max?.toFixed(1)}`;
    };
    const chart = new uPlot(
      {
        ...looks(wanted, colour),
        width: element.clientWidth || 400,
        height: HEIGHT,
        hooks: { setCursor: [(chart) => setAt(chart.cursor.idx ?? null)], draw: [drawEnds] },
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
  }, [logarithmic, metric, runs.map((run) => run.name).join('/'), axis]);
  useEffect(() => {
    const chart = plot.current;
    if (!chart) return;
    // A reader who looks at a part keeps it while points arrive; one who looks at everything sees all of them.
    const zoomed = isZoomed(chart);
    chart.setData(data, !zoomed);
    if (zoomed) chart.redraw();
  }, [runs, smoothing, data[0].at(-1)]);
  return { host, figure, at };
}

/** Axes, lines and margins, in the colours of the page. */
function looks({ runs, axis, logarithmic }: Wanted, colour: (name: string) => string) {
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
  return {
    padding: [8, NAMES_WIDTH, 0, 0],
    scales: { x: { time: false }, y: { distr: logarithmic ? 3 : 1 } },
    legend: { show: false },
    cursor: { sync: { key: 'runs' }, points: { show: false } },
    axes: [
      { ...frame, size: 28, label: UNITS[axis], labelSize: 16, labelFont: AXIS_FONT },
      { ...frame, size: (_, texts) => axisWidth(texts), values: (_, splits) => axisTexts(splits) },
    ],
    series: [{}, ...runs.flatMap((_, index) => ofRun(index)), { stroke: colour('--ink-3'), width: 1, dash: [6, 4], points: { show: false } }],
  } satisfies Partial<uPlot.Options>;
}

/** True if the reader chose a part of the axis: the scale then does not end where the data do. */
function isZoomed(chart: uPlot): boolean {
  const { min, max } = chart.scales['x'] ?? {};
  const known = chart.data[0];
  const [first, last] = [known[0], known.at(-1)];
  if (min === undefined || max === undefined || min === null || max === null || first === undefined || last === undefined || first === last) return false;
  return min > first || max < last;
}
