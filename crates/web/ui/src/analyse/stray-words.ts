/**
 * Words among the moves of a PGN that are not moves, such as a mistyped `Nxz4`. The PGN parser skips them, and would then
 * blame the next move or read the rest as the moves of the other side.
 */

export interface StrayWord {
  text: string;
  at: number;
  /** A move that is never legal in chess (a drop) and stands in for the word while the game is read. */
  code: string;
}

const MOVE = /^(?:[NBKRQP]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[nbrqkNBRQK])?|[O0o][-–—][O0o](?:[-–—][O0o])?|--|Z0)[+#]*$/;
/** Comments and whatever else may stand among moves. Each is blanked, so that places in the text stay the same. */
const NO_MOVES = [/\{[^}]*\}?/g, /^%.*$/gm, /;.*$/gm, /^\s*\[.*$/gm, /\$\d+/g, /\d+\s*\.+/g];
/** A word worth reporting: novelty signs and the like are shorter or have no letters. */
const WORD = /[A-Za-z][^\s(){}]+/g;

/** The words that are not moves, in the order of the text; at most as many as there are codes. */
export function strayWords(text: string): StrayWord[] {
  let moves = text;
  for (const pattern of NO_MOVES) moves = moves.replace(pattern, (part) => part.replace(/\S/g, ' '));
  const found: StrayWord[] = [];
  for (const match of moves.matchAll(WORD)) {
    const word = match[0].replace(/[?!]+$/, '');
    if (MOVE.test(word) || word === 'e.p.' || word === 'ep') continue;
    const code = codeOf(found.length);
    if (code === null) break;
    found.push({ text: word, at: match.index, code });
  }
  return found;
}

/** The text with each stray word replaced by its code. */
export function withCodes(text: string, words: readonly StrayWord[]): string {
  let [coded, from] = ['', 0];
  for (const { text: word, at, code } of words) {
    coded += text.slice(from, at) + code;
    from = at + word.length;
  }
  return coded + text.slice(from);
}

const PIECES = 'PNBRQ';

function codeOf(index: number): string | null {
  const piece = PIECES[Math.floor(index / 64)];
  const square = index % 64;
  return piece ? `${piece}@${'abcdefgh'[square % 8]}${1 + Math.floor(square / 8)}` : null;
}
