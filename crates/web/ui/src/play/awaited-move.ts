/** The move that was made on the board of the document, before the page's own script was here (`first/first-move.ts`). */

export function awaitedMove(): string | null {
  return document.getElementById('first')?.dataset['move'] ?? null;
}
