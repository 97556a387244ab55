/**
 * A board with a line above and below it and a panel beside it. The board's size depends only on the window and on the resize
 * handle at its corner. The wheel and, on a touch screen, a swipe over the board or its lines step through the game.
 */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ResizeHandle } from '../board/resize.tsx';

interface Props {
  board: ComponentChildren;
  top: ComponentChildren;
  bottom: ComponentChildren;
  panel: ComponentChildren;
  /** A narrow column left of the board. */
  side?: ComponentChildren;
  /** Below the board: one line on a phone, where the panel is out of sight; the curve of the game in a large window. */
  under?: ComponentChildren;
  onStep?: (step: -1 | 1) => void;
  /** Arrangement of the panel. */
  layout?: 'analysis' | 'game';
}

/** Touchpads send many small turns of the wheel; this many pixels are one step. */
const WHEEL_STEP = 40;
/** A swipe goes at least this far sideways, and at most half as far up or down. */
const SWIPE = 48;

export function BoardScreen({ board, top, bottom, panel, side, under, onStep, layout = 'game' }: Props) {
  const column = useRef<HTMLDivElement>(null);
  const step = useRef(onStep);
  step.current = onStep;
  useLayoutEffect(() => (column.current ? walkByHand(column.current, (by) => step.current?.(by)) : undefined), []);
  return (
    <main class={`board-screen ${layout}${side === undefined ? '' : ' with-side'}`}>
      <div class="board-column" ref={column}>
        <div class="board-line">{top}</div>
        <div class="board-row">
          {side}
          <div class="board-and-handle">
            {board}
            <ResizeHandle />
          </div>
        </div>
        <div class="board-line">{bottom}</div>
        {under !== undefined && <div class="under-board">{under}</div>}
      </div>
      <div class="panel">{panel}</div>
    </main>
  );
}

/** Steps by wheel and by swipe until the returned function is called. */
function walkByHand(element: HTMLElement, step: (by: -1 | 1) => void): () => void {
  let turned = 0;
  const wheel = (event: WheelEvent) => {
    if (event.ctrlKey || event.shiftKey || event.deltaY === 0) return;
    event.preventDefault();
    if (Math.sign(event.deltaY) !== Math.sign(turned)) turned = 0;
    turned += event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : WHEEL_STEP * Math.sign(event.deltaY);
    if (Math.abs(turned) < WHEEL_STEP) return;
    step(turned > 0 ? 1 : -1);
    turned = 0;
  };
  let start: { x: number; y: number } | null = null;
  const down = (event: TouchEvent) => {
    const [touch] = event.touches;
    // A finger that picks up a piece moves that piece.
    const free = event.touches.length === 1 && touch && !event.defaultPrevented && !(event.target as Element).closest('piece, button, select');
    start = free && touch ? { x: touch.clientX, y: touch.clientY } : null;
  };
  const up = (event: TouchEvent) => {
    const [touch] = event.changedTouches;
    if (!start || !touch) return;
    const [x, y] = [touch.clientX - start.x, touch.clientY - start.y];
    start = null;
    if (Math.abs(x) >= SWIPE && Math.abs(y) <= Math.abs(x) / 2) step(x < 0 ? 1 : -1);
  };
  element.addEventListener('wheel', wheel, { passive: false });
  element.addEventListener('touchstart', down, { passive: true });
  element.addEventListener('touchend', up, { passive: true });
  return () => {
    element.removeEventListener('wheel', wheel);
    element.removeEventListener('touchstart', down);
    element.removeEventListener('touchend', up);
  };
}
