/** The board as a grid of named squares: for screen readers, and for moving with the keyboard alone. */

import type { Key } from '@lichess-org/chessground/types';
import { parseSquare } from 'chessops/util';
import { useRef, useState } from 'preact/hooks';
import type { Position } from '../chess/position.ts';
import type { Colour } from '../server/types.ts';

interface Props {
  position: Position;
  orientation: Colour;
  destinations: Map<Key, Key[]>;
  lastMove: string | null;
  onMove: (from: Key, to: Key) => void;
}

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function BoardGrid({ position, orientation, destinations, lastMove, onMove }: Props) {
  const [focused, setFocused] = useState<[number, number]>([4, 6]);
  const [picked, setPicked] = useState<Key | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  const squareAt = (column: number, row: number): Key => {
    const [file, rank] = orientation === 'white' ? [column, 7 - row] : [7 - column, row];
    return `${'abcdefgh'[file]}${rank + 1}` as Key;
  };
  const focus = (column: number, row: number) => {
    setFocused([column, row]);
    grid.current?.querySelector<HTMLElement>(`[data-square=${squareAt(column, row)}]`)?.focus({ preventScroll: true });
  };
  const press = (event: KeyboardEvent) => {
    const [column, row] = focused;
    const step = STEPS[event.key];
    if (step) {
      focus(Math.min(7, Math.max(0, column + step[0])), Math.min(7, Math.max(0, row + step[1])));
    } else if (event.key === 'Enter' || event.key === ' ') {
      const square = squareAt(column, row);
      if (picked && destinations.get(picked)?.includes(square)) {
        setPicked(null);
        onMove(picked, square);
      } else {
        setPicked(destinations.has(square) && picked !== square ? square : null);
      }
    } else if (event.key === 'Escape') {
      setPicked(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const label = (square: Key): string => {
    const piece = position.board.get(parseSquare(square) as number);
    const parts = [piece ? `${square}, ${piece.color} ${piece.role}` : `${square}, empty`];
    if (picked && destinations.get(picked)?.includes(square)) parts.push('can be reached');
    if (lastMove && (lastMove.startsWith(square) || lastMove.slice(2, 4) === square)) parts.push('last move');
    return parts.join(', ');
  };
  const rows = [0, 1, 2, 3, 4, 5, 6, 7];
  return (
    <div
      class="board-grid"
      role="grid"
      aria-label={`Chess board, ${orientation === 'white' ? 'White' : 'Black'} below`}
      ref={grid}
      onKeyDown={press}
    >
      {rows.map((row) => (
        <div role="row" key={row}>
          {rows.map((column) => {
            const square = squareAt(column, row);
            const reachable = picked !== null && (destinations.get(picked)?.includes(square) ?? false);
            return (
              <div
                key={square}
                role="gridcell"
                data-square={square}
                data-reachable={reachable || undefined}
                aria-label={label(square)}
                aria-selected={picked === square}
                tabIndex={focused[0] === column && focused[1] === row ? 0 : -1}
                onFocus={() => setFocused([column, row])}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}
