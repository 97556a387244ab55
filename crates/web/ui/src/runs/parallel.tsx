/**
 * Parallel coordinates: each run is a line through its keys to its result. The line under the pointer is a row of the table,
 * and a click picks the run, in both. The table below has the same figures for those who cannot see the drawing.
 */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { plural } from '../analyse/numbers.ts';
import { Segments } from '../shell/segments.tsx';
import { spread } from './line-ends.ts';
import { type ParallelAxis, axisOfKey, axisOfOutcome, bestOf, keysToDraw, shortTitles } from './parallel-axes.ts';
import { OUTCOMES, type Row } from './run-rows.ts';
import type { ManyRuns } from './use-many-runs.ts';

const HEIGHT = 280;
const TOP = 36;
/** Room below the axes for the lines of runs without a value. */
const BOTTOM = 36;
const LEFT = 100;
/** Room for the names of the lines that stand out. */
const RIGHT = 120;
const LEAST_GAP = 112;
const NAME_HEIGHT = 15;
const LONGEST_TEXT = 14;

/** Fewer runs than this with a result have nothing to compare. */
const FEWEST = 2;

export function Parallel({ many }: { many: ManyRuns }) {
  const [outcome, setOutcome] = useState('0');
  const at = Number(outcome);
  const rows = many.rows.filter((row) => (row.metrics[at] ?? null) !== null);
  const { drawn, left } = keysToDraw(rows, many.keys);
  const enough = rows.length >= FEWEST && drawn.length > 0;
  return (
    <details class="parallel" open>
      <summary>Results by key</summary>
      <Segments label="Result" hideLabel={true} options={OUTCOMES.map(({ title }, index) => [String(index), title] as const)} value={outcome} onChange={setOutcome} />
      {enough ? (
        <Drawing rows={rows} axes={[...drawn.map((key) => axisOfKey(rows, key)), axisOfOutcome(rows, at)]} best={bestOf(rows, at)} many={many} />
      ) : (
        <p class="note">Needs two runs with this result and a key in which they differ.</p>
      )}
      {enough && (
        <p class="note">
          {plural(rows.length, 'line')}, one per run; the best is blue, a click picks a run.{left.length > 0 && ` In the table only: ${left.join(', ')}.`}
        </p>
      )}
    </details>
  );
}

interface DrawingProps {
  rows: readonly Row[];
  axes: readonly ParallelAxis[];
  best: string | null;
  many: ManyRuns;
}

function Drawing({ rows, axes, best, many }: DrawingProps) {
  const box = useRef<HTMLDivElement>(null);
  const room = useWidth(box);
  const width = Math.max(room, LEFT + RIGHT + LEAST_GAP * (axes.length - 1));
  const gap = (width - LEFT - RIGHT) / Math.max(1, axes.length - 1);
  const x = (index: number) => LEFT + gap * index;
  const y = (height: number | null) => (height === null ? HEIGHT - 8 : TOP + (HEIGHT - TOP - BOTTOM) * (1 - height));
  const titles = shortTitles(axes.map((axis) => axis.title));
  const { hovered, picked } = many;
  const lines = rows.map((row) => {
    const heights = axes.map((axis) => y(axis.heightOf(row)));
    const path = heights.map((height, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)},${height.toFixed(1)}`).join('');
    return { name: row.name, path, end: heights.at(-1) ?? 0, rank: row.name === hovered ? 3 : picked.includes(row.name) ? 2 : row.name === best ? 1 : 0 };
  });
  // What stands out lies above the rest.
  const inOrder = [...lines].sort((one, other) => one.rank - other.rank);
  const named = lines.filter((line) => line.rank > 0);
  const places = spread(named.map((line) => line.end), NAME_HEIGHT, HEIGHT - 4);
  return (
    <div class="table-scroll parallel-box" tabIndex={0} role="region" aria-label="Runs as lines through their keys" ref={box}>
      <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={`${rows.length} runs as lines from ${axes.map((axis) => axis.title).join(', ')}${best ? `; the best is ${best}` : ''}`}>
        {inOrder.map((line) => (
          <path key={line.name} class="parallel-line" data-run={line.name} data-rank={line.rank} d={line.path} />
        ))}
        {/* Above the lines, which would strike the numbers through. */}
        {axes.map((axis, index) => (
          <Axis key={axis.title} axis={axis} title={titles[index] ?? ''} x={x(index)} y={y} gaps={rows.some((row) => axis.heightOf(row) === null)} />
        ))}
        {/* Wider than the lines, so that a pointer meets them. */}
        {lines.map((line) => (
          <path key={line.name} class="parallel-reach" data-run={line.name} d={line.path} onPointerEnter={() => many.hover(line.name)} onPointerLeave={() => many.hover(null)} onClick={() => many.toggle(line.name)} />
        ))}
        {named.map((line, index) => (
          <text key={line.name} class="parallel-name" data-rank={line.rank} x={x(axes.length - 1) + 10} y={(places[index] ?? 0) + 4}>
            {shortened(line.name)}
          </text>
        ))}
      </svg>
    </div>
  );
}

interface AxisProps {
  axis: ParallelAxis;
  title: string;
  x: number;
  y: (height: number | null) => number;
  /** True if a run has no value, and its line passes below the axis. */
  gaps: boolean;
}

function Axis({ axis, title, x, y, gaps }: AxisProps) {
  return (
    <g>
      <line class="parallel-axis" x1={x} x2={x} y1={y(1)} y2={y(0)} />
      <text class="parallel-title" x={x} y={14} text-anchor="middle">
        <title>{axis.title}</title>
        {shortened(title)}
      </text>
      {gaps && (
        <text class="parallel-tick" x={x - 6} y={y(null) + 4} text-anchor="end">
          not set
        </text>
      )}
      {axis.ticks.map((tick) => (
        <text key={tick.text} class="parallel-tick" x={x - 6} y={y(tick.at) + 4} text-anchor="end">
          {shortened(tick.text)}
        </text>
      ))}
    </g>
  );
}

function shortened(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
}

/** The width of an element, as the window changes. */
function useWidth(box: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const update = () => setWidth(element.clientWidth);
    update();
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width;
}
