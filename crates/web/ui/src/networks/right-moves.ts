/** The probe positions of which the right move is known, and words for a network that finds it. */

export interface RightMoves {
  /** In UCI notation. */
  moves: string[];
  /** What they are, and the verb for playing them, now and in the past. */
  what: string;
  now: string;
  past: string;
}

/** By the board and the side to move. Positions with several good moves are left out: there is nothing to find. */
const KNOWN = new Map<string, RightMoves>([
  ['6k1/5ppp/8/8/8/8/5PPP/3R2K1 w', { moves: ['d1d8'], what: 'the mate', now: 'finds', past: 'found' }],
  ['rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R w', { moves: ['f3g5'], what: 'the queen', now: 'takes', past: 'took' }],
  ['r3k2r/ppp2ppp/8/3N4/8/8/PPP2PPP/R3K2R w', { moves: ['d5c7'], what: 'the fork', now: 'finds', past: 'found' }],
  ['3q2k1/5ppp/8/8/8/P7/5PPP/3Q2K1 w', { moves: ['d1d8'], what: 'the mate', now: 'finds', past: 'found' }],
]);

/** Null where the right move is not known. */
export function rightMoves(fen: string): RightMoves | null {
  return KNOWN.get(fen.split(' ').slice(0, 2).join(' ')) ?? null;
}

/** The squares to tick on a board. */
export function rightSquares(fen: string): string[] {
  return (rightMoves(fen)?.moves ?? []).map((uci) => uci.slice(2, 4));
}
