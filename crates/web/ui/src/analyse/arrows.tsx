/** The engine's arrows and the heat's figures: our own layer over the squares, updated in place. */

import type { Colour, TracedMove } from '../server/types.ts';
import { arrowOpacity, arrowWidth, percentOf } from './numbers.ts';

export type ArrowLabel = 'visits' | 'win' | 'prior' | 'none';

export interface Arrow {
  id: string;
  uci: string;
  kind: 'net-a' | 'net-b' | 'played' | 'threat';
  width: number;
  opacity: number;
  label: string;
}

/** Most arrows of one network, and the least share of visits that gives one. */
const MOST_ARROWS = 5;
const LEAST_SHARE = 0.02;

/** The arrows of one network's search, the best last so that it lies on top. */
export function arrowsOf(moves: TracedMove[], kind: 'net-a' | 'net-b', label: ArrowLabel, only: string | null): Arrow[] {
  const total = moves.reduce((sum, move) => sum + move.visits, 0);
  const share = (move: TracedMove) => (total > 0 ? move.visits / total : move.prior);
  const most = Math.max(...moves.map(share), 1e-9);
  const best = moves.reduce((best, move) => Math.max(best, move.wdl ? percentOf(move.wdl) : 0), 0);
  const chosen = only
    ? moves.filter((move) => move.uci === only)
    : moves.filter((move) => share(move) >= LEAST_SHARE).slice(0, MOST_ARROWS);
  return [...chosen].reverse().map((move) => {
    const percent = move.wdl ? percentOf(move.wdl) : null;
    const labels: Record<ArrowLabel, string> = {
      visits: String(Math.round(100 * share(move))),
      win: percent === null ? '' : String(Math.round(percent)),
      prior: String(Math.round(100 * move.prior)),
      none: '',
    };
    return {
      id: `${kind}-${move.uci}`,
      uci: move.uci,
      kind,
      width: arrowWidth(share(move) / most),
      opacity: percent === null || only ? 1 : arrowOpacity(best - percent),
      label: labels[label],
    };
  });
}

interface Props {
  arrows: Arrow[];
  orientation: Colour;
  /** Figures in the corners of squares, by square. */
  figures: Map<string, string>;
}

export function ArrowLayer({ arrows, orientation, figures }: Props) {
  return (
    <svg class="arrow-layer" viewBox="0 0 8 8" aria-hidden="true">
      {[...figures].map(([square, text]) => {
        const [x, y] = centreOf(square, orientation);
        return (
          <text key={square} class="heat-figure" x={x + 0.45} y={y - 0.3}>
            {text}
          </text>
        );
      })}
      {arrows.map((arrow) => (
        <ArrowShape key={arrow.id} arrow={arrow} orientation={orientation} beside={besideOf(arrow, arrows)} />
      ))}
    </svg>
  );
}

/** Two networks that want the same move get their arrows side by side. */
function besideOf(arrow: Arrow, arrows: Arrow[]): number {
  const twin = arrows.some((other) => other.uci === arrow.uci && other.kind !== arrow.kind && other.kind.startsWith('net'));
  if (!twin || !arrow.kind.startsWith('net')) return 0;
  return arrow.kind === 'net-a' ? -1 / 16 : 1 / 16;
}

function ArrowShape({ arrow, orientation, beside }: { arrow: Arrow; orientation: Colour; beside: number }) {
  const [fromX, fromY] = centreOf(arrow.uci.slice(0, 2), orientation);
  const [toX, toY] = centreOf(arrow.uci.slice(2, 4), orientation);
  const length = Math.hypot(toX - fromX, toY - fromY) || 1;
  const [dx, dy] = [(toX - fromX) / length, (toY - fromY) / length];
  const [shiftX, shiftY] = [-dy * beside, dx * beside];
  const head = Math.max(0.28, arrow.width * 2.2);
  const at = (along: number, aside: number) =>
    `${(fromX + dx * along - dy * aside + shiftX).toFixed(3)} ${(fromY + dy * along + dx * aside + shiftY).toFixed(3)}`;
  const neck = length - head;
  const half = arrow.width / 2;
  const shape = `M${at(0.25, half)}L${at(neck, half)}L${at(neck, head / 2)}L${at(length, 0)}L${at(neck, -head / 2)}L${at(neck, -half)}L${at(0.25, -half)}Z`;
  return (
    <g class={`arrow ${arrow.kind}`} data-uci={arrow.uci} style={{ opacity: arrow.opacity }}>
      <path d={shape} />
      {arrow.label && (
        <>
          <circle cx={toX + shiftX - dx * 0.02} cy={toY + shiftY - dy * 0.02} r="0.19" />
          <text x={toX + shiftX - dx * 0.02} y={toY + shiftY - dy * 0.02 + 0.075}>
            {arrow.label}
          </text>
        </>
      )}
    </g>
  );
}

function centreOf(square: string, orientation: Colour): [number, number] {
  const file = square.charCodeAt(0) - 97;
  const rank = Number(square[1]) - 1;
  return orientation === 'white' ? [file + 0.5, 7.5 - rank] : [7.5 - file, rank + 0.5];
}
