/** White's win percentage over the game, with win, draw and loss behind it. Positions without a value leave a gap. */

import { useRef, useState } from 'preact/hooks';
import type { Judgement, ReviewPoint, Wdl } from '../server/types.ts';
import { percentOf } from './numbers.ts';
import type { Phase } from './phases.ts';
import { timeText } from './times.ts';

/** Value of the position after `ply` half-moves. */
export interface GraphValue {
  ply: number;
  white: Wdl;
  /** Class of the move that led here. */
  judgement: Judgement | null;
}

interface Props {
  /** One per position, from the start; null where nothing is known. */
  values: readonly (GraphValue | null)[];
  ply: number;
  moveName: (ply: number) => string;
  onChoose: (ply: number) => void;
  /** The ply under the pointer, to show its position; null when it leaves. */
  onHover?: (ply: number | null) => void;
  /** The last position that has the name of an opening. */
  openingEnd?: number | null;
  /** The phase of each move, of a game that had more than one. */
  phases?: readonly Phase[];
  /** True if White moves on even plies. */
  whiteFirst?: boolean;
  /** The side whose faults are filled dots; the other side's are rings. */
  side?: 'white' | 'black';
  /** Seconds spent on the move to each position; null where unknown. */
  times?: readonly (number | null)[];
}

const WIDTH = 600;
const HEIGHT = 120;
/** Height of the longest time spent on a move. */
const TIME_HEIGHT = 36;
const NO_TIMES: number[] = [];
const NO_PHASES: Phase[] = [];
/** Only faults that decide games are marked: small ones would hide them. */
const MARKS: Record<string, string> = { mistake: '?', blunder: '??' };

/** The positions of a review as values. */
export function valuesOf(points: readonly ReviewPoint[], positions: number): (GraphValue | null)[] {
  return Array.from({ length: positions }, (_, ply) => {
    const point = points[ply];
    if (!point) return null;
    const [win = 0, draw = 0, loss = 0] = point.white_wdl;
    return { ply, white: { win, draw, loss }, judgement: points[ply - 1]?.judgement ?? null };
  });
}

/** Runs of consecutive known values. */
export function runsOf(values: readonly (GraphValue | null)[]): GraphValue[][] {
  const runs: GraphValue[][] = [];
  for (const [ply, value] of values.entries()) {
    if (!value) continue;
    if (ply > 0 && values[ply - 1]) runs.at(-1)?.push(value);
    else runs.push([value]);
  }
  return runs;
}

/** A bar for the time spent on each move, on the lower edge. */
function barsOf(times: readonly (number | null)[], last: number): string {
  const longest = Math.max(1, ...times.map((seconds) => seconds ?? 0));
  const width = (0.7 * WIDTH) / last;
  const bar = (seconds: number | null, ply: number) =>
    seconds ? `M${((WIDTH * ply) / last - width / 2).toFixed(1)} ${HEIGHT}h${width.toFixed(1)}v${((-TIME_HEIGHT * seconds) / longest).toFixed(1)}h${(-width).toFixed(1)}z` : '';
  return times.map(bar).join('');
}

export function Graph(props: Props) {
  const { values, ply, moveName, onChoose, onHover, openingEnd = null, whiteFirst = true, side = 'white', times = NO_TIMES, phases = NO_PHASES } = props;
  const [hovered, setHovered] = useState<number | null>(null);
  const box = useRef<SVGSVGElement>(null);
  const last = Math.max(1, values.length - 1);
  const x = (at: number) => (WIDTH * at) / last;
  const y = (share: number) => HEIGHT * (1 - share);
  const plyAt = (event: PointerEvent) => {
    const { left, width } = (box.current as SVGSVGElement).getBoundingClientRect();
    return Math.max(0, Math.min(last, Math.round(((event.clientX - left) / width) * last)));
  };
  const shown = hovered ?? ply;
  const value = values[shown];
  const spent = times[shown] ?? null;
  const phase = phases[shown - 1];
  const judged = value ? `${percentOf(value.white).toFixed(1)} % for White` : 'not evaluated';
  const text = `${moveName(shown)}: ${judged}${spent === null ? '' : `, after ${timeText(spent)}`}${phase ? `, ${phase}` : ''}`;
  const endgame = phases.indexOf('endgame');
  const runs = runsOf(values);
  const place = (one: GraphValue, share: number) => `${x(one.ply).toFixed(1)} ${y(share).toFixed(1)}`;
  const area = (share: (white: Wdl) => number) =>
    runs
      .filter((run) => run.length > 1)
      .map((run) => `M${run.map((one) => place(one, share(one.white))).join('L')}L${x(run.at(-1)?.ply ?? 0).toFixed(1)} ${HEIGHT}L${x(run[0]?.ply ?? 0).toFixed(1)} ${HEIGHT}Z`)
      .join('');
  return (
    <figure class="graph">
      <svg
        ref={box}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="slider"
        tabIndex={0}
        aria-label="Win percentage over the game"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={ply}
        aria-valuetext={text}
        onPointerMove={(event) => {
          const at = plyAt(event);
          setHovered(at);
          onHover?.(at);
          if (event.buttons === 1) onChoose(at);
        }}
        onPointerDown={(event) => onChoose(plyAt(event))}
        onPointerLeave={() => {
          setHovered(null);
          onHover?.(null);
        }}
        onKeyDown={(event) => {
          const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
          if (!step) return;
          event.preventDefault();
          onChoose(Math.max(0, Math.min(last, ply + step)));
        }}
      >
        <path class="share-black" d={area(() => 1)} />
        <path class="share-draw" d={area((white) => white.win + white.draw)} />
        <path class="share-white" d={area((white) => white.win)} />
        <path class="graph-times" d={barsOf(times, last)} />
        <line class="graph-half" x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
        {openingEnd !== null && <line class="graph-opening" x1={x(openingEnd)} x2={x(openingEnd)} y1={0} y2={HEIGHT} />}
        {endgame > 0 && <line class="graph-endgame" x1={x(endgame)} x2={x(endgame)} y1={0} y2={HEIGHT} />}
        {runs.map((run) => (
          <polyline key={run[0]?.ply} class="graph-line" points={run.map((one) => `${x(one.ply).toFixed(1)},${y(percentOf(one.white) / 100).toFixed(1)}`).join(' ')} />
        ))}
        <line class="graph-cursor" x1={x(ply)} x2={x(ply)} y1={0} y2={HEIGHT} />
        {hovered !== null && <line class="graph-hover" x1={x(hovered)} x2={x(hovered)} y1={0} y2={HEIGHT} />}
      </svg>
      <div class="graph-marks" aria-hidden="true">
        {values.map((one) => {
          const mark = one?.judgement ? MARKS[one.judgement] : undefined;
          if (!one) return null;
          const at = { left: `${(100 * one.ply) / last}%`, top: `${100 - percentOf(one.white)}%` };
          const alone = !values[one.ply - 1] && !values[one.ply + 1];
          if (!mark) return alone ? <span key={one.ply} data-alone style={at} /> : null;
          const mover = (one.ply % 2 === 1) === whiteFirst ? 'white' : 'black';
          return <span key={one.ply} data-judgement={one.judgement} data-other={mover === side ? undefined : true} title={`${mark} ${moveName(one.ply)}`} style={at} />;
        })}
        {value && <b class="graph-flag figure" style={{ left: `${(100 * shown) / last}%`, top: `${100 - percentOf(value.white)}%` }} data-left={shown > 0.85 * last || undefined}>{Math.round(percentOf(value.white))}</b>}
      </div>
      <div class="graph-axis figure" aria-hidden="true">
        <span>100 %</span>
        <span>50</span>
        <span>0</span>
      </div>
      {hovered !== null && <figcaption class="note figure">{text}</figcaption>}
    </figure>
  );
}
