/**
 * The board of the document accepts a first move before the page's own script has loaded, which takes seconds on a slow line.
 * This file becomes part of the document, so it imports nothing. The move waits in `data-move` of `#first`, where
 * `play/awaited-move.ts` finds it.
 *
 * The server names the available moves (`data-moves`, UCI); it names none if the first move is not White's.
 */

const first = document.getElementById('first');
const squares = first?.querySelector<HTMLElement>('[data-moves]');

/** The object that the browser remembers under a name; empty if it cannot be read. */
function kept(name: string): Record<string, unknown> {
  try {
    return (JSON.parse(localStorage.getItem(name) ?? 'null') ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const size = Number(kept('tabiya.board-size')['most']);
if (size > 0) document.documentElement.style.setProperty('--board-most', `${size}px`);

/** A player with Black waits for the engine, and a player with a running game is led back to it. */
const mayMove = kept('tabiya.choices')['colour'] !== 'black' && (location.search !== '' || !kept('tabiya.running')['id']);

if (first && squares && mayMove) listen(first, squares, squares.dataset['moves']?.split(' ') ?? []);

function listen(outline: HTMLElement, board: HTMLElement, moves: string[]): void {
  let from = '';
  const cell = (square: string) => board.children[8 * (8 - Number(square[1])) + square.charCodeAt(0) - 97] as HTMLElement;
  const squareAt = (event: PointerEvent) => {
    const { left, top, width } = board.getBoundingClientRect();
    const [column, row] = [Math.floor((8 * (event.clientX - left)) / width), Math.floor((8 * (event.clientY - top)) / width)];
    return column >= 0 && column < 8 && row >= 0 && row < 8 ? 'abcdefgh'.charAt(column) + (8 - row) : '';
  };
  const mark = (square: string) => {
    from = moves.some((uci) => square && uci.startsWith(square)) ? square : '';
    for (const child of board.children) child.classList.remove('chosen', 'target');
    if (!from) return;
    cell(from).classList.add('chosen');
    for (const uci of moves) if (uci.startsWith(from)) cell(uci.slice(2)).classList.add('target');
  };
  const play = (to: string) => {
    outline.dataset['move'] = from + to;
    const moved = cell(from).className;
    const origin = from;
    mark('');
    cell(to).className = moved;
    cell(to).classList.add('moved');
    cell(to).classList.remove('chosen');
    cell(origin).className = 'moved';
    end();
  };
  const touch = (event: PointerEvent) => {
    // The page's own board has taken over.
    if (!outline.isConnected) return end();
    const square = squareAt(event);
    if (from && square !== from && moves.includes(from + square)) play(square);
    else if (event.type === 'pointerdown') mark(square);
  };
  const end = () => {
    removeEventListener('pointerdown', touch);
    removeEventListener('pointerup', touch);
  };
  addEventListener('pointerdown', touch);
  addEventListener('pointerup', touch);
  outline.dataset['ready'] = String(Math.round(performance.now()));
}
