/**
 * Names of openings by position: a game gets the name of the last named position it passed through, whatever the order of
 * its moves.
 */

export interface Opening {
  code: string;
  name: string;
}

/** Openings by board and side to move. */
export type Openings = ReadonlyMap<string, Opening>;

/** Reads the table that `openings-table.ts` makes at build time. */
export function readOpenings(table: string): Openings {
  const [codes = [], names = [], ...board] = table.split('\n\n').map((column) => column.split('\n'));
  const turns = board.pop();
  if ([names, turns, ...board].some((column) => column?.length !== codes.length)) throw new Error('The columns of the table of openings differ in length');
  return new Map(codes.map((code, row) => [`${board.map((rank) => rank[row]).join('/')} ${turns?.[row]}`, { code, name: names[row] ?? '' }]));
}

/** Half-moves to the last of these positions that has a name; null if none has. */
export function openingEnd(openings: Openings, fens: readonly string[]): number | null {
  const named = fens.map((fen) => openings.has(fen.split(' ', 2).join(' '))).lastIndexOf(true);
  return named > 0 ? named : null;
}

/** The opening of the latest of these positions that has a name. */
export function openingOf(openings: Openings, fens: readonly string[]): Opening | null {
  for (const fen of [...fens].reverse()) {
    const [board, turn] = fen.split(' ');
    const opening = openings.get(`${board} ${turn}`);
    if (opening) return opening;
  }
  return null;
}
