/**
 * The corner that makes the board smaller or larger, with the mouse or the arrow keys; a double click makes it as large as
 * there is room. The document's own script reads the size too (`first/first-move.ts`), so that nothing moves on the next visit.
 */

import { useLayoutEffect, useState } from 'preact/hooks';
import { remember, remembered } from '../settings.ts';

export const SIZE_KEY = 'tabiya.board-size';
const LEAST = 320;
const STEP = 8;

function apply(most: number | null): void {
  if (most === null) document.documentElement.style.removeProperty('--board-most');
  else document.documentElement.style.setProperty('--board-most', `${most}px`);
  remember(SIZE_KEY, { most });
}

const squares = () => document.querySelector('.board-squares');
const now = () => squares()?.getBoundingClientRect().width ?? LEAST;

/** Width of the board, which the window limits. */
function useWidth(): number {
  const [width, setWidth] = useState(LEAST);
  useLayoutEffect(() => {
    const board = squares();
    if (!board) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.round(now())));
    observer.observe(board);
    return () => observer.disconnect();
  }, []);
  return width;
}

export function ResizeHandle() {
  const width = useWidth();
  const [size, setSize] = useState<number | null>(() => remembered<{ most: number | null }>(SIZE_KEY, { most: null }).most);
  const change = (most: number | null) => {
    const next = most === null ? null : Math.max(LEAST, Math.round(most / STEP) * STEP);
    apply(next);
    setSize(next);
  };
  return (
    <span
      class="resize-handle"
      role="slider"
      tabIndex={0}
      aria-label="Size of the board"
      aria-valuemin={LEAST}
      aria-valuenow={size ?? width}
      aria-valuetext={size === null ? 'as large as possible' : `${size} pixels`}
      title="Drag to resize the board; double-click for the largest size"
      onPointerDown={(event) => {
        event.preventDefault();
        const target = event.currentTarget;
        const [x, y, before] = [event.clientX, event.clientY, now()];
        target.setPointerCapture(event.pointerId);
        const move = (moved: PointerEvent) => change(before + (moved.clientX - x + moved.clientY - y) / 2);
        const end = () => target.removeEventListener('pointermove', move);
        target.addEventListener('pointermove', move);
        target.addEventListener('pointerup', end, { once: true });
        target.addEventListener('pointercancel', end, { once: true });
      }}
      onDblClick={() => change(null)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP }[event.key];
        if (event.key === 'Home') change(null);
        else if (by === undefined) return;
        else change(now() + by);
        event.preventDefault();
      }}
    />
  );
}
