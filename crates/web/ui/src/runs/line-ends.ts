/** Names at the right ends of the lines of a chart, moved apart where the ends meet. */

import type uPlot from 'uplot';
import type { Drawn } from './columns.ts';
import type { Metric } from './metrics.ts';

/** Labels on a canvas have the size of those on the page: `--type-label` of `styles/tokens.css`. */
const LABEL = 12;
const FAMILY = "Inter, 'Segoe UI', Cantarell, system-ui, sans-serif";
export const AXIS_FONT = `${LABEL}px ${FAMILY}`;

export interface LineEnd {
  text: string;
  /** Last value of the line; null if it has no points. */
  value: number | null;
  /** Name of a colour of the page. */
  colour: string;
  bold?: boolean;
}

export type Column = (number | null)[];

/** Series of one run: raw, smoothed, held out. The baseline comes once, after all runs. */
export const OF_A_RUN = 3;

/** Height of a name and its distance from the line, in pixels of the page. */
const LINE = 13;
const GAP = 6;
const LONGEST_NAME = 12;

/**
 * Places for names of one height, from top to bottom in the order of their lines, as near to the ends of the lines as
 * possible without touching; none is below the bottom.
 */
export function spread(ends: readonly number[], height: number, bottom: number): number[] {
  const order = ends.map((_, index) => index).sort((first, second) => (ends[first] ?? 0) - (ends[second] ?? 0));
  const places = [...ends];
  let above = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    above = Math.max(ends[index] ?? 0, above + height);
    places[index] = above;
  }
  let below = bottom + height;
  for (const index of order.reverse()) {
    below = Math.min(places[index] ?? 0, below - height);
    places[index] = below;
  }
  return places;
}

export const lastOf = (column: Column): number | null => column.reduce((last, value) => value ?? last, null);

/** The part of a chart that is shown. */
export interface Shown {
  /** The places of all points. */
  x: readonly number[];
  min: number;
  max: number;
  logarithmic: boolean;
}

/**
 * Height of a line where it leaves the part that is shown, which may be between two of its points; its last point if it ends
 * before, and null if nothing of it is shown.
 */
export function heightAtEnd(column: Column, { x, min, max, logarithmic }: Shown): number | null {
  const has = (index: number) => column[index] !== null && column[index] !== undefined;
  const before = x.reduce((last, place, index) => (place <= max && has(index) ? index : last), -1);
  const after = x.findIndex((place, index) => place > max && has(index));
  const [low, high] = [column[before], column[after]];
  if (low === null || low === undefined) return null;
  if (high === null || high === undefined) return (x[before] ?? 0) < min ? null : low;
  const share = (max - (x[before] ?? 0)) / ((x[after] ?? 0) - (x[before] ?? 0));
  return logarithmic && low > 0 && high > 0 ? low * (high / low) ** share : low + share * (high - low);
}

/** Texts at the right ends of the lines as far as they are shown: the curve's name for one run, the run's name for several. */
export function endsOf(metric: Metric, runs: readonly Drawn[], scaled: readonly Column[], baseline: number | null, shown: Shown): LineEnd[] {
  const ends = runs.flatMap((run, index): LineEnd[] => {
    const [train, held] = [1, 2].map((offset) => heightAtEnd(scaled[index * OF_A_RUN + offset] ?? [], shown));
    const colour = `--series-${(index % 6) + 1}`;
    if (runs.length > 1) return [{ text: run.name, value: held ?? train ?? null, colour }];
    return [
      { text: 'training', value: train ?? null, colour },
      { text: 'held out', value: held ?? null, colour, bold: true },
    ];
  });
  return [...ends, { text: metric.baselineName ?? '', value: baseline, colour: '--ink-3' }];
}

/** Draws the names, and returns those it drew. `colour` looks up a colour of the page. */
export function drawLineEnds(chart: uPlot, ends: readonly LineEnd[], colour: (name: string) => string): string[] {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const shown = ends.filter((end) => end.value !== null && end.text !== '');
  const places = spread(
    // A line that leaves the chart at its top or bottom has its name there.
    shown.map((end) => Math.max(bbox.top, Math.min(bbox.top + bbox.height, chart.valToPos(end.value ?? 0, 'y', true)))),
    LINE * ratio,
    bbox.top + bbox.height,
  );
  ctx.save();
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const [index, end] of shown.entries()) {
    const text = end.text.length > LONGEST_NAME ? `${end.text.slice(0, LONGEST_NAME - 1)}…` : end.text;
    ctx.font = `${end.bold ? 600 : 400} ${LABEL * ratio}px ${FAMILY}`;
    ctx.fillStyle = colour(end.colour);
    ctx.fillText(text, bbox.left + bbox.width + GAP * ratio, places[index] ?? 0);
  }
  ctx.restore();
  return shown.map((end) => end.text);
}
