/** Faults in a PGN, with their places, and what became of the text around them. */

/** A fault in a PGN, with its place. */
export interface PgnFault {
  game: number;
  line: number;
  column: number;
  found: string;
  /** What should have been there, and what was kept: the rest of the sentence. */
  expected: string;
}

export const EXPECTED = {
  move: 'a legal move. Everything before it was kept.',
  start: 'a legal position of chess. The game was left out.',
  chess: 'orthodox chess or Chess960. The game was left out.',
  end: 'a } at the end of the comment. All that follows was read as its text.',
} as const;

/** Length up to which a fault is quoted. */
const QUOTED = 40;

export function faultText({ game, line, column, found, expected }: PgnFault): string {
  const quoted = found.length > QUOTED ? `${found.slice(0, QUOTED)}...` : found;
  return `Game ${game}, line ${line}, column ${column}: found "${quoted}", expected ${expected}`;
}

/** Line and column of a place in a text. */
export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

/** Where a comment begins that has no end; null if each of them has one. */
export function openComment(text: string): number | null {
  let from = text.lastIndexOf('}') + 1;
  for (const line of text.slice(from).split('\n')) {
    // Of a line for programs, a header and the comment after a semicolon, no brace begins anything.
    const [sign] = /^\s*[%[]/.test(line) ? [] : (/[{;]/.exec(line) ?? []);
    if (sign === '{') return from + line.indexOf('{');
    from += line.length + 1;
  }
  return null;
}
