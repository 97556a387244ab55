/** The move made on the board of the document before the page's own script had loaded (`first/first-move.ts`). */

export function awaitedMove(): string | null {
  return document.getElementById('first')?.dataset['move'] ?? null;
}
