/** A small chart over two axes: lines, points, and intervals if the values have them. */

export interface PlotPoint {
  x: number;
  y: number;
  low?: number;
  high?: number;
}

export interface PlotSeries {
  name: string;
  mark: 'line' | 'dots';
  points: PlotPoint[];
}

interface PlotProps {
  title: string;
  x: string;
  y: string;
  series: PlotSeries[];
  /** Label of a place on the bottom axis; the number by default. */
  label?: (x: number) => string;
}

const WIDTH = 640;
const HEIGHT = 280;
const LEFT = 56;
const TOP = 12;
const BOTTOM = 44;

export function Plot({ title, x: xTitle, y: yTitle, series, label = tickText }: PlotProps) {
  const points = series.flatMap((one) => one.points);
  if (points.length === 0) return null;
  const xs = rangeOf(points.map((point) => point.x));
  const ys = rangeOf(points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]));
  const x = (value: number) => LEFT + ((WIDTH - LEFT - 12) * (value - xs.from)) / (xs.to - xs.from);
  const y = (value: number) => TOP + (HEIGHT - BOTTOM - TOP) * (1 - (value - ys.from) / (ys.to - ys.from));
  return (
    <figure class="plot">
      <figcaption>
        <b>{title}</b>
        {series.length > 1 &&
          series.map((one, index) => (
            <span key={one.name} class={`plot-name series-${index + 1}`}>
              {one.name}
            </span>
          ))}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}: ${yTitle} by ${xTitle}`}>
        {ticksOf(ys).map((tick) => (
          <g key={tick}>
            <line class="plot-rule" x1={LEFT} x2={WIDTH - 12} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
              {tickText(tick)}
            </text>
          </g>
        ))}
        {ticksOf(xs).map((tick) => (
          <text key={tick} x={x(tick)} y={HEIGHT - BOTTOM + 18} text-anchor="middle">
            {label(tick)}
          </text>
        ))}
        <text x={(LEFT + WIDTH) / 2} y={HEIGHT - 6} text-anchor="middle">
          {yTitle} by {xTitle}
        </text>
        {series.map((one, index) => (
          <g key={one.name} class={`series-${index + 1}`}>
            {one.mark === 'line' && <polyline points={one.points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(' ')} />}
            {one.points.map(
              (point) => point.low !== undefined && <line key={point.x} x1={x(point.x)} x2={x(point.x)} y1={y(point.low)} y2={y(point.high ?? point.y)} />,
            )}
            {one.mark === 'dots' && one.points.map((point) => <circle key={point.x} cx={x(point.x)} cy={y(point.y)} r="4" />)}
          </g>
        ))}
      </svg>
    </figure>
  );
}

interface Range {
  from: number;
  to: number;
}

/** From the smallest to the largest number, with a margin. */
function rangeOf(values: number[]): Range {
  const from = values.reduce((least, value) => Math.min(least, value), Infinity);
  const to = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const margin = Math.max((to - from) * 0.05, Math.abs(to) * 1e-6, 1e-9);
  return { from: from - margin, to: to + margin };
}

/** Round tick values, four to ten of them: 1, 2 or 5 times a power of ten apart. */
function ticksOf({ from, to }: Range): number[] {
  const power = 10 ** Math.floor(Math.log10((to - from) / 5));
  const step = power * ([5, 2].find((factor) => factor * power <= (to - from) / 4) ?? 1);
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, index) => (first + index) * step);
}

function tickText(value: number): string {
  return String(Number(value.toPrecision(6)));
}
