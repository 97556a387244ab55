/** Keeps the keyboard's place on the board when the first move replaces the start screen with the game screen. */

let square: string | null = null;
let begun = false;

/** Remembers that the next game on the screen begins with a move made here. */
export function beginHere(): void {
  begun = true;
  keepFocus();
}

/** True if the game was started by a move made here; true only once. */
export function wasBegunHere(): boolean {
  const was = begun;
  begun = false;
  return was;
}

/** Remembers the square that has the focus, if one has. */
function keepFocus(): void {
  square = (document.activeElement as HTMLElement | null)?.dataset['square'] ?? null;
}

/** Puts the focus back. */
export function restoreFocus(): void {
  if (square !== null) document.querySelector<HTMLElement>(`[data-square=${square}]`)?.focus({ preventScroll: true });
  square = null;
}
