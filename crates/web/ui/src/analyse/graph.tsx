/** White's win percentage over the game, with win, draw and loss behind it. What is not evaluated is a gap. */

import { useRef, useState } from 'preact/hooks';
import type { ReviewPoint } from '../server/types.ts';

interface Props {
  points: ReviewPoint[];
  /** Positions of the game. */
  positions: number;
  ply: number;
  moveName: (ply: number) => string;
  onChoose: (ply: number) => void;
  /** The ply under the pointer, to show its position; null when it leaves. */
  onHover?: (ply: number | null) => void;
}

const WIDTH = 600;
const HEIGHT = 120;
/** Only what decides games is marked: small faults would hide it. */
const MARKS: Record<string, string> = { mistake: '?', blunder: '??' };

export function Graph({ points, positions, ply, moveName, onChoose, onHover }: Props) {
  const [hovered, setHovered] = useState<number | null>(null);
  const box = useRef<SVGSVGElement>(null);
  const last = Math.max(1, positions - 1);
  const x = (at: number) => (WIDTH * at) / last;
  const y = (share: number) => HEIGHT * (1 - share);
  const plyAt = (event: PointerEvent) => {
    const { left, width } = (box.current as SVGSVGElement).getBoundingClientRect();
    return Math.max(0, Math.min(last, Math.round(((event.clientX - left) / width) * last)));
  };
  const shown = hovered ?? ply;
  const point = points[shown];
  const text = point
    ? `${moveName(shown)}: ${point.white_percent.toFixed(1)} % for White`
    : `${moveName(shown)}: not evaluated`;
  const area = (share: (point: ReviewPoint) => number) =>
    points.length < 2
      ? ''
      : `M${points.map((point) => `${x(point.ply).toFixed(1)} ${y(share(point)).toFixed(1)}`).join('L')}L${x(points.length - 1)} ${HEIGHT}L0 ${HEIGHT}Z`;
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
        <rect class="share-black" width={WIDTH} height={points.length > 1 ? HEIGHT : 0} />
        <path class="share-draw" d={area((point) => point.white_wdl[0] + point.white_wdl[1])} />
        <path class="share-white" d={area((point) => point.white_wdl[0])} />
        <line class="graph-half" x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
        <polyline
          class="graph-line"
          points={points.map((point) => `${x(point.ply).toFixed(1)},${y(point.white_percent / 100).toFixed(1)}`).join(' ')}
        />
        <line class="graph-cursor" x1={x(ply)} x2={x(ply)} y1={0} y2={HEIGHT} />
        {hovered !== null && <line class="graph-hover" x1={x(hovered)} x2={x(hovered)} y1={0} y2={HEIGHT} />}
      </svg>
      <div class="graph-marks" aria-hidden="true">
        {points.map((point) => {
          const mark = point.judgement ? MARKS[point.judgement] : undefined;
          const after = points[point.ply + 1];
          return mark && after ? (
            <span
              key={point.ply}
              data-judgement={point.judgement}
              title={`${mark} ${moveName(after.ply)}`}
              style={{ left: `${(100 * after.ply) / last}%`, top: `${100 - after.white_percent}%` }}
            />
          ) : null;
        })}
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
