/** The board: chessground for eyes and pointers, a grid beside it for those who use neither. */

import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Key, SquareClasses } from '@lichess-org/chessground/types';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { destinationsOf, trusted } from '../chess/position.ts';
import type { Colour } from '../server/types.ts';
import { BoardGrid } from './grid.tsx';
import { PromotionChooser } from './promotion.tsx';
import { useGround } from './use-ground.ts';

export interface BoardProps {
  fen: string;
  /** The move that led here; null if there is none. */
  lastMove: string | null;
  orientation: Colour;
  /** The side that may be moved here; null for nobody. */
  movable: Colour | 'both' | null;
  /** True if a premove may be made while the other side thinks. */
  premove?: boolean;
  onMove?: (uci: string) => void;
  /** Incremented when the pieces must be put back in the same position: a move was tried and not played. */
  version?: number;
  /** Squares to tint or mark, by class names. */
  marks?: SquareClasses;
  shapes?: DrawShape[];
  onShapes?: (shapes: DrawShape[]) => void;
  onSelect?: (square: Key | null) => void;
  /** Drawn above the squares and below the pointer, in the same coordinates. */
  children?: ComponentChildren;
}

export function Board(props: BoardProps) {
  const { fen, orientation, movable, lastMove, children } = props;
  const position = useMemo(() => trusted(fen), [fen]);
  const destinations = useMemo(() => destinationsOf(position), [position]);
  const { host, put, choice, promote, restore } = useGround(props, position, destinations);
  return (
    <div class="board" data-orientation={orientation}>
      <Coordinates orientation={orientation} />
      <div class="board-squares">
        <div class="board-pieces" ref={host} aria-hidden="true" />
        {children}
        <BoardGrid
          position={position}
          orientation={orientation}
          destinations={movable === 'both' || movable === position.turn ? destinations : new Map()}
          lastMove={lastMove}
          onMove={put}
        />
        {choice && <PromotionChooser square={choice.to} colour={position.turn} orientation={orientation} onChoose={promote} onCancel={restore} />}
      </div>
    </div>
  );
}

function Coordinates({ orientation }: { orientation: Colour }) {
  const files = [...'abcdefgh'];
  const ranks = [...'87654321'];
  if (orientation === 'black') {
    files.reverse();
    ranks.reverse();
  }
  return (
    <>
      <div class="board-ranks" aria-hidden="true">
        {ranks.map((rank) => (
          <span key={rank}>{rank}</span>
        ))}
      </div>
      <div class="board-files" aria-hidden="true">
        {files.map((file) => (
          <span key={file}>{file}</span>
        ))}
      </div>
    </>
  );
}
