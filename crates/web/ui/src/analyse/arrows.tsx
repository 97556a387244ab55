/**
 * The engine's arrows, heat figures and the glyph of a move: the page's own layer over the squares, updated in place.
 */

import type { Colour, Judgement, TracedMove } from '../server/types.ts';
import type { ValueUnit } from '../settings.ts';
import { type Arrow, BADGE, type Point, type Shaft, badgeAt, centreOf, discOf, isNetwork, labelsOf, shaftOf } from './arrow-layout.ts';
import { type View, arrowOpacity, arrowWidth, percentOf, shortText, told } from './numbers.ts';

export type { Arrow };
export type ArrowLabel = 'visits' | 'win' | 'prior' | 'none';

/** A move's glyph at the corner of the square it went to. */
export interface Badge {
  square: string;
  text: string;
  judgement: Judgement;
}

/** Maximum number of arrows of one network, and the smallest share of visits that gives one. */
const MOST_ARROWS = 5;
const LEAST_SHARE = 0.02;

/** A move below this share is drawn as a disc with its figure, without a shaft. */
const LEAST_SHAFT = 0.05;

/** Content of the arrow labels, and the side whose values they show. */
export interface Labelling {
  label: ArrowLabel;
  whiteToMove: boolean;
  view: View;
  unit: ValueUnit;
}

/** The arrows of one network's search, the best last so that it lies on top. */
export function arrowsOf(moves: TracedMove[], kind: 'net-a' | 'net-b', labelling: Labelling, only: string | null): Arrow[] {
  const { label, whiteToMove, view, unit } = labelling;
  const total = moves.reduce((sum, move) => sum + move.visits, 0);
  const share = (move: TracedMove) => (total > 0 ? move.visits / total : (move.prior ?? 0));
  const most = Math.max(...moves.map(share), 1e-9);
  const best = moves.reduce((best, move) => Math.max(best, move.wdl ? percentOf(move.wdl) : 0), 0);
  const chosen = only
    ? moves.filter((move) => move.uci === only)
    : [...moves].sort((first, second) => share(second) - share(first)).filter((move) => share(move) >= LEAST_SHARE).slice(0, MOST_ARROWS);
  return [...chosen].reverse().map((move) => {
    const percent = move.wdl ? percentOf(move.wdl) : null;
    const labels: Record<ArrowLabel, string> = {
      visits: String(Math.round(100 * share(move))),
      win: move.wdl ? shortText(told(move.wdl, whiteToMove, view, move.score), unit) : '',
      prior: move.prior === null ? '' : String(Math.round(100 * move.prior)),
      none: '',
    };
    return {
      id: `${kind}-${move.uci}`,
      uci: move.uci,
      kind,
      width: arrowWidth(share(move) / most),
      opacity: percent === null || only ? 1 : arrowOpacity(best - percent),
      label: labels[label],
      faint: !only && share(move) < LEAST_SHAFT,
    };
  });
}

interface Props {
  arrows: Arrow[];
  orientation: Colour;
  /** Figures in the corners of squares, by square. */
  figures: Map<string, string>;
  badge?: Badge | null;
  /** Enlarges the labels on boards so small that nobody could read them otherwise. */
  labelScale?: number;
}

/** Shafts, then heads, then labels: a label is never under another arrow. */
export function ArrowLayer({ arrows, orientation, figures, badge, labelScale = 1 }: Props) {
  const shafts = arrows.map((arrow) => shaftOf(arrow, arrows, orientation));
  const corner = badge ? badgeAt(badge.square, orientation) : null;
  const wide = shafts.filter(({ arrow, dot }) => isNetwork(arrow) && !dot);
  return (
    <svg class="arrow-layer" viewBox="0 0 8 8" aria-hidden="true">
      {[...figures].map(([square, text]) => {
        const [x, y] = centreOf(square, orientation);
        const width = 0.08 + 0.105 * text.length;
        return (
          <g key={square} class="heat-chip">
            <rect x={x - 0.48} y={y + 0.24} width={width} height={0.24} rx={0.04} />
            <text class="heat-figure" x={x - 0.48 + width / 2} y={y + 0.425}>
              {text}
            </text>
          </g>
        );
      })}
      <g>
        {wide.map((shaft) => (
          <line
            key={shaft.arrow.id}
            class={`arrow ${shaft.arrow.kind}`}
            data-uci={shaft.arrow.uci}
            x1={shaft.from[0]}
            y1={shaft.from[1]}
            x2={shaft.neck[0]}
            y2={shaft.neck[1]}
            stroke-width={shaft.arrow.width}
            opacity={shaft.arrow.opacity}
          />
        ))}
      </g>
      <g>
        {wide.map((shaft) => (
          <path key={shaft.arrow.id} class={`arrow-head ${shaft.arrow.kind}`} d={headOf(shaft)} opacity={shaft.arrow.opacity} />
        ))}
        {shafts
          .filter(({ dot }) => dot)
          .map(({ arrow, tip }) => (
            <circle key={arrow.id} class={`arrow-dot ${arrow.kind}`} data-uci={arrow.uci} cx={tip[0]} cy={tip[1]} r={0.1} opacity={arrow.opacity} />
          ))}
        {shafts
          .filter(({ arrow }) => !isNetwork(arrow))
          .map((shaft) => (
            <path key={shaft.arrow.id} class={`arrow stroke ${shaft.arrow.kind}`} data-uci={shaft.arrow.uci} d={strokeOf(shaft)} />
          ))}
      </g>
      <g>
        {labelsOf(shafts, { scale: labelScale, badge: corner }).map(({ arrow, at: [x, y] }) => (
          <g key={arrow.id} class={`arrow-label ${arrow.kind}`} data-uci={arrow.uci} transform={`translate(${x.toFixed(3)} ${y.toFixed(3)}) scale(${labelScale})`}>
            <circle r={discOf(arrow.label)} />
            <text y="0.055">{arrow.label}</text>
          </g>
        ))}
      </g>
      {badge && corner && <BadgeShape badge={badge} at={corner} />}
    </svg>
  );
}

function BadgeShape({ badge, at: [left, top] }: { badge: Badge; at: Point }) {
  return (
    <g class="board-badge" data-judgement={badge.judgement} transform={`translate(${left} ${top})`}>
      <circle r={BADGE} />
      <text y="0.085">{badge.text}</text>
    </g>
  );
}

function headOf({ neck, tip, along, half }: Shaft): string {
  const side = (turn: number) => `${(neck[0] - along[1] * half * turn).toFixed(3)} ${(neck[1] + along[0] * half * turn).toFixed(3)}`;
  return `M${side(1)}L${tip[0].toFixed(3)} ${tip[1].toFixed(3)}L${side(-1)}Z`;
}

/** One stroke: the line and an open head. */
function strokeOf({ from, neck, tip, along, half }: Shaft): string {
  const side = (turn: number) => `${(neck[0] - along[1] * half * turn).toFixed(3)} ${(neck[1] + along[0] * half * turn).toFixed(3)}`;
  const point = `${tip[0].toFixed(3)} ${tip[1].toFixed(3)}`;
  return `M${from[0].toFixed(3)} ${from[1].toFixed(3)}L${point}M${side(1)}L${point}L${side(-1)}`;
}
