/** The board as a grid of named squares: for screen readers, and for moving with the keyboard alone. */

import type { Key } from '@lichess-org/chessground/types';
import { parseSquare } from 'chessops/util';
import { useRef, useState } from 'preact/hooks';
import type { Position } from '../chess/position.ts';
import type { Colour } from '../server/types.ts';
import { announce } from '../shell/announce.ts';

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

const ROLES: Record<string, string> = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' };

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
  /** Commands of single letters and digits for those who do not see the board. */
  const command = (event: KeyboardEvent, column: number, row: number): boolean => {
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    const square = squareAt(column, row);
    const digit = /^Digit([1-8])$/.exec(event.code)?.[1];
    const role = ROLES[event.key.toLowerCase()];
    if (digit) {
      const number = Number(digit) - 1;
      if (event.shiftKey) focus(orientation === 'white' ? number : 7 - number, row);
      else focus(column, orientation === 'white' ? 7 - number : number);
    } else if (role) {
      const next = nextPlace([column, row], event.shiftKey, (at) => position.board.get(parseSquare(squareAt(...at)) as number)?.role === role);
      if (next) focus(...next);
      else announce(`There is no ${role}.`);
    } else if (event.key === 'o') announce(label(square));
    else if (event.key === 'm') announce(movesText(square, destinations.get(square)));
    else if (event.key === 'l') announce(lastMove ? `Last move: ${lastMove.slice(0, 2)} to ${lastMove.slice(2, 4)}` : 'No move yet.');
    else return false;
    return true;
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
    } else if (!command(event, column, row)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const label = (square: Key): string => {
    const piece = position.board.get(parseSquare(square) as number);
    const parts = [piece ? `${square}, ${piece.color} ${piece.role}` : `${square}, empty`];
    if (picked && destinations.get(picked)?.includes(square)) parts.push('legal target');
    if (lastMove && (lastMove.startsWith(square) || lastMove.slice(2, 4) === square)) parts.push('last move');
    return parts.join(', ');
  };
  const rows = [0, 1, 2, 3, 4, 5, 6, 7];
  return (
    <div
      class="board-grid"
      role="grid"
      aria-label={`Chess board, ${orientation === 'white' ? 'White' : 'Black'} at the bottom`}
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

function movesText(square: Key, targets: readonly Key[] | undefined): string {
  return targets ? `${square} can go to ${targets.join(', ')}` : `${square} has no legal move.`;
}

/** The next place in reading order, or the previous one, that is `wanted`. */
function nextPlace([column, row]: [number, number], backwards: boolean, wanted: (at: [number, number]) => boolean): [number, number] | null {
  for (let step = 1; step <= 64; step++) {
    const place = (row * 8 + column + (backwards ? -step : step) + 64) % 64;
    const at: [number, number] = [place % 8, Math.floor(place / 8)];
    if (wanted(at)) return at;
  }
  return null;
}
