/** A small board to look at: positions along a line or in a graph, or a network's opinion of them. */

import { parseFen } from 'chessops/fen';
import { makeSquare } from 'chessops/util';
import type { Colour } from '../server/types.ts';
import { type Arrow, ArrowLayer } from '../analyse/arrows.tsx';

interface Props {
  fen: string;
  orientation?: Colour;
  /** The move that led here. */
  lastMove?: string | null;
  arrows?: Arrow[];
  /** Squares with a tick: where the right move leads. */
  ticks?: readonly string[];
  /** Description of the board for readers who cannot see it. */
  label: string;
}

/** Factor by which arrow labels are larger than on the large board: the squares are a third as wide. */
export const LABEL_SCALE = 1.8;

const NO_FIGURES = new Map<string, string>();

export function MiniBoard({ fen, orientation = 'white', lastMove, arrows, ticks = [], label }: Props) {
  const setup = parseFen(fen);
  const pieces = setup.isOk ? [...setup.value.board] : [];
  const place = (square: string) => {
    const file = square.charCodeAt(0) - 97;
    const rank = Number(square[1]) - 1;
    const [column, row] = orientation === 'white' ? [file, 7 - rank] : [7 - file, rank];
    return { left: `${column * 12.5}%`, top: `${row * 12.5}%` };
  };
  const marked = lastMove ? [lastMove.slice(0, 2), lastMove.slice(2, 4)] : [];
  return (
    <div class="mini-board cg-wrap" role="img" aria-label={label}>
      {marked.map((square) => (
        <span key={square} class="mini-mark" style={place(square)} />
      ))}
      {pieces.map(([square, piece]) => (
        <piece key={square} class={`${piece.role} ${piece.color}`} style={place(makeSquare(square))} />
      ))}
      {arrows && arrows.length > 0 && <ArrowLayer arrows={arrows} orientation={orientation} figures={NO_FIGURES} labelScale={LABEL_SCALE} />}
      {ticks.map((square) => (
        <span key={square} class="mini-tick" style={place(square)}>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="M4 10.5l4 4 8-9" />
          </svg>
        </span>
      ))}
    </div>
  );
}
