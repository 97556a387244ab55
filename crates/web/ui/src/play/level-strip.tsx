/**
 * The levels as a strip: each at the place of its rating, the chosen one with the interval of its measurement as a band, and
 * the unmeasured ones apart at the right end. Pressing or dragging selects the nearest level; keys move the slider inside.
 */

import { useRef } from 'preact/hooks';
import type { Level } from '../server/types.ts';

interface Props {
  levels: readonly Level[];
  chosen: number;
  /** Text of the chosen level for screen readers. */
  text: string;
  onChoose: (index: number) => void;
}

/** Spacing of the ratings that have a figure below the line. */
const TICK = 500;
const LINE = 16;
/** End of the measured levels and start of the others, in percent of the width, if there are both. */
const MEASURED_END = 86;
const UNMEASURED_BEGIN = 95;

/** Figures further right would touch the text at the end of a narrow strip. */
const LATE = 68;

export interface Mark {
  index: number;
  /** Percent of the width. */
  at: number;
  measured: boolean;
}

export interface Places {
  marks: Mark[];
  /** Percent of the width for a rating; null if none was measured. */
  place: ((elo: number) => number) | null;
  /** The lowest and the highest rating. */
  range: [number, number];
}

export function placesOf(levels: readonly Level[]): Places {
  const ratings = levels.flatMap(({ measurement }) => (measurement ? [measurement.elo] : []));
  const range: [number, number] = [Math.min(...ratings), Math.max(...ratings)];
  const [lowest, highest] = range;
  const others = levels.length - ratings.length;
  const scaled = ratings.length > 1 && lowest < highest;
  const end = others > 0 ? MEASURED_END : 100;
  const place = (elo: number) => (end * (Math.max(lowest, Math.min(highest, elo)) - lowest)) / (highest - lowest);
  let unmeasured = 0;
  const marks = levels.map(({ measurement }, index) => {
    // Without ratings, the levels are equally spaced.
    if (!scaled) return { index, at: (100 * index) / Math.max(1, levels.length - 1), measured: measurement !== null };
    if (measurement) return { index, at: place(measurement.elo), measured: true };
    unmeasured += 1;
    return { index, at: others === 1 ? 98 : UNMEASURED_BEGIN + ((100 - UNMEASURED_BEGIN) * (unmeasured - 1)) / (others - 1), measured: false };
  });
  return { marks, place: scaled ? place : null, range };
}

export interface Tick {
  elo: number;
  /** Percent of the width. */
  at: number;
  /** True if a narrow strip has no room for it beside the text at its end. */
  late: boolean;
}

/** The ratings written below the line. */
export function ticksOf({ marks, place, range }: Places): Tick[] {
  if (!place) return [];
  const [lowest, highest] = range;
  const crowded = marks.some((mark) => !mark.measured);
  const round = Array.from({ length: 8 }, (_, index) => TICK * (index + 1)).filter((elo) => elo >= lowest && elo <= highest);
  return round.map((elo) => ({ elo, at: place(elo), late: crowded && place(elo) > LATE }));
}

export function LevelStrip({ levels, chosen, text, onChoose }: Props) {
  const box = useRef<SVGSVGElement>(null);
  const places = placesOf(levels);
  const { marks, place } = places;
  const measurement = levels[chosen]?.measurement;
  const choose = (event: PointerEvent) => {
    const { left, width } = (box.current as SVGSVGElement).getBoundingClientRect();
    const at = (100 * (event.clientX - left)) / width;
    const nearest = marks.reduce<Mark | null>((best, mark) => (best && Math.abs(best.at - at) <= Math.abs(mark.at - at) ? best : mark), null);
    if (nearest && nearest.index !== chosen) onChoose(nearest.index);
  };
  return (
    <div
      class="level-strip"
      // Levels that the server has not named yet will have ratings: the strip keeps its height when they come.
      data-plain={place || levels.length === 0 ? undefined : true}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        choose(event);
      }}
      onPointerMove={(event) => event.buttons === 1 && choose(event)}
    >
      <input
        type="range"
        class="sr-only"
        aria-label="Level"
        min={0}
        max={Math.max(1, levels.length - 1)}
        value={chosen}
        aria-valuetext={text}
        onInput={(event) => onChoose(Number(event.currentTarget.value))}
      />
      <svg ref={box} aria-hidden="true">
        <line class="strip-line" x1="0%" x2={place && marks.some((mark) => !mark.measured) ? `${MEASURED_END}%` : '100%'} y1={LINE} y2={LINE} />
        {place && measurement && (
          <rect class="strip-band" x={`${place(measurement.low)}%`} width={`${Math.max(0.5, place(measurement.high) - place(measurement.low))}%`} y={LINE - 10} height={20} rx={3} />
        )}
        {ticksOf(places).map(({ elo, at, late }) => (
          <text key={elo} x={`${at}%`} y={LINE + 26} data-late={late || undefined}>
            {elo}
          </text>
        ))}
        {place && marks.some((mark) => !mark.measured) && (
          <text class="strip-end" x="100%" y={LINE + 26}>
            not measured
          </text>
        )}
        {marks.map(({ index, at, measured }) => (
          <circle key={index} class="strip-mark" data-chosen={index === chosen || undefined} data-measured={measured || undefined} cx={`${at}%`} cy={LINE} r={index === chosen ? 8 : 5}>
            <title>{levels[index]?.name}</title>
          </circle>
        ))}
      </svg>
    </div>
  );
}
