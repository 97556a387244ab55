/** A board with a line above and below it and a panel beside it. The board's size depends on the window alone. */

import type { ComponentChildren } from 'preact';

interface Props {
  board: ComponentChildren;
  top: ComponentChildren;
  bottom: ComponentChildren;
  panel: ComponentChildren;
  /** A narrow column left of the board. */
  side?: ComponentChildren;
}

export function BoardScreen({ board, top, bottom, panel, side }: Props) {
  return (
    <main class={side === undefined ? 'board-screen' : 'board-screen with-side'}>
      <div class="board-column">
        <div class="board-line">{top}</div>
        <div class="board-row">
          {side}
          {board}
        </div>
        <div class="board-line">{bottom}</div>
      </div>
      <div class="panel">{panel}</div>
    </main>
  );
}
