/** Gradients by layer: a small curve for each layer of the network, all on one logarithmic axis, so that one that dies or explodes stands out. */

import { useMemo, useState } from 'preact/hooks';
import { Segments } from '../shell/segments.tsx';
import { type Axis, type Drawn, UNITS, placer } from './columns.ts';
import { type LayerPoint, type Length, decadesOf, heightOf, layersOf, lengthsOf, rangeOf } from './layers.ts';

const LENGTHS = [
  ['gradient', 'Gradient'],
  ['update', 'Step'],
  ['relative', 'Step / weights'],
] as const;

const EXPLAINED: Record<Length, string> = {
  gradient: 'L2 norm of the gradient of a batch, before clipping',
  update: 'L2 norm of the update of a step',
  relative: 'Norm of the update over that of the weights; about 0.001 is usual',
};

interface Props {
  runs: readonly Drawn[];
  axis: Axis;
}

export function LayersPanel({ runs, axis }: Props) {
  const [length, setLength] = useState<Length>('gradient');
  /** Position of the pointer, as a share of the axis. */
  const [at, setAt] = useState<number | null>(null);
  const measured = runs.flatMap((run, index) => (run.curves.layers.step.length > 0 ? { run, index } : []));
  const layers = useMemo(
    () =>
      layersOf(measured.map(({ run }) => run.curves.layers)).map((layer) => ({
        layer,
        curves: measured.map(({ run, index }) => ({ name: run.name, index, points: placed(run, axis, lengthsOf(run.curves.layers, layer, length)) })),
      })),
    [runs, axis, length],
  );
  if (layers.length === 0) return null;
  const points = layers.flatMap(({ curves }) => curves.flatMap((curve) => curve.points));
  const decades = decadesOf(points.map((point) => point.value)) ?? { low: 0, high: 1 };
  // All layers of a run are measured at the same steps.
  const places = [...new Set(points.map((point) => point.step))];
  const [first, last] = rangeOf(places);
  const span = Math.max(last - first, 1e-9);
  // The pointer moves from one measurement to the next.
  const shownAt = at === null ? last : closest(places, first + at * span);
  const follow = (event: PointerEvent) => {
    const box = (event.target as Element).closest('.layer')?.querySelector('svg')?.getBoundingClientRect();
    setAt(box ? Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) : null);
  };
  return (
    <details class="layers" open>
      <summary>Gradients by layer</summary>
      <div class="button-row">
        <Segments label="Quantity drawn for each layer" hideLabel={true} options={LENGTHS} value={length} onChange={setLength} />
        <span class="figure note layers-at">
          at {Math.round(shownAt).toLocaleString('en')} {UNITS[axis]}
        </span>
      </div>
      <div class="layer-curves" onPointerMove={follow} onPointerLeave={() => setAt(null)}>
        {layers.map(({ layer, curves }) => {
          const shown = curves.map((curve) => ({ ...curve, value: measuredAt(curve.points, shownAt) }));
          return (
            <figure key={layer} class="layer" data-layer={layer}>
              <figcaption>
                <span>{layer}</span>
                {shown.map(({ name, index, value }) => value !== null && (
                  <span key={name} class={`figure series-${(index % 6) + 1}`}>
                    {lengthText(value)}
                  </span>
                ))}
              </figcaption>
              <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={`${layer}: ${shown.map(({ name, value }) => `${runs.length > 1 ? `${name} ` : ''}${value === null ? 'none' : lengthText(value)}`).join(', ')}`}>
                {Array.from({ length: decades.high - decades.low + 1 }, (_, line) => (
                  <path key={line} class="layer-decade" d={`M0 ${(100 * line) / (decades.high - decades.low)}H100`} />
                ))}
                {curves.map(({ name, index, points: drawn }) => (
                  <path key={name} class={`layer-curve series-${(index % 6) + 1}`} d={drawn.map((point, place) => `${place ? 'L' : 'M'}${((100 * (point.step - first)) / span).toFixed(2)} ${(100 * heightOf(point.value, decades)).toFixed(2)}`).join('')} />
                ))}
                {at !== null && <path class="layer-cursor" d={`M${((100 * (shownAt - first)) / span).toFixed(2)} 0V100`} />}
              </svg>
            </figure>
          );
        })}
      </div>
      <p class="note">
        {EXPLAINED[length]}. Vertical axis from {powerText(decades.low)} to {powerText(decades.high)}, with a line at each power of ten, the same for all layers.
      </p>
    </details>
  );
}

/** The points of a layer on the axis of the charts. */
function placed(run: Drawn, axis: Axis, points: readonly LayerPoint[]): LayerPoint[] {
  const place = placer(run.curves, run.batch, axis);
  return points.map(({ step, value }) => ({ step: place(step), value }));
}

/** The place that is nearest to a wanted one. */
function closest(places: readonly number[], wanted: number): number {
  return places.reduce((best, place) => (Math.abs(place - wanted) < Math.abs(best - wanted) ? place : best), places[0] ?? wanted);
}

/** The last value measured up to a place. */
function measuredAt(points: readonly LayerPoint[], place: number): number | null {
  const after = points.findIndex((point) => point.step > place);
  return points[after < 0 ? points.length - 1 : Math.max(0, after - 1)]?.value ?? null;
}

function lengthText(value: number): string {
  return value !== 0 && (value < 1e-3 || value >= 1e4) ? value.toExponential(1) : value.toPrecision(3);
}

function powerText(power: number): string {
  return power > -3 && power < 4 ? String(10 ** power) : `1e${power}`;
}
