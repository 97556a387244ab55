/** What the endgame tables know of a position, in words. */

import type { EndgameMove, EndgameOutcome, EndgameReason, EndgameView } from '../server/types.ts';

/** Syzygy tables have at most this many pieces, kings included. */
export const MOST_PIECES = 7;

export const OUTCOMES: Record<EndgameOutcome, { text: string; title: string }> = {
  win: { text: 'win', title: 'The side to move wins' },
  cursed_win: { text: 'cursed win', title: 'A win that takes too long: a draw by the fifty-move rule' },
  draw: { text: 'draw', title: 'Neither side can win' },
  blessed_loss: { text: 'blessed loss', title: 'A loss that takes too long: a draw by the fifty-move rule' },
  loss: { text: 'loss', title: 'The side to move loses' },
};

const REASONS: Record<Exclude<EndgameReason, 'fifty_moves' | 'rounding'>, string> = {
  checkmate: 'mate',
  stalemate: 'stalemate',
  insufficient_material: 'neither side can mate',
  last_pawn: 'captures the last pawn',
  promotion: 'promotes',
  capture: 'captures',
  pawn_move: 'moves a pawn',
};

/** Pieces on the board of a FEN. */
export function pieceCount(fen: string): number {
  return fen.split(' ')[0]?.match(/[a-z]/gi)?.length ?? 0;
}

/** The result of a position by its best move. */
export function verdictText(best: EndgameMove | undefined, whiteToMove: boolean): string {
  const [mover, other] = whiteToMove ? ['White', 'Black'] : ['Black', 'White'];
  switch (best?.outcome) {
    case undefined:
      return 'The game is over.';
    case 'win':
      return `${mover} wins.`;
    case 'loss':
      return `${other} wins.`;
    case 'draw':
      return 'A draw.';
    case 'cursed_win':
      return `A draw by the fifty-move rule, without which ${mover} would win.`;
    case 'blessed_loss':
      return `A draw by the fifty-move rule, without which ${other} would win.`;
  }
}

/** The distance in half-moves; two numbers if the tables round it. */
export function distanceText({ distance, rounded }: EndgameMove): string {
  if (distance === null) return '';
  return rounded ? `${distance}–${distance + 1}` : String(distance);
}

/** What the outcome or the distance of a move comes from; empty if only the tables know. */
export function reasonText(move: EndgameMove, { halfmoves }: Pick<EndgameView, 'halfmoves'>): string {
  switch (move.reason) {
    case null:
      return '';
    case 'fifty_moves':
      // A capture or pawn move sets the counter back: what comes after it takes too long by itself.
      if (move.distance === null) return 'fifty-move rule: it takes more than 100 half-moves';
      if (move.distance === 1 && halfmoves < 100) return 'fifty-move rule: what follows takes more than 100 half-moves';
      return `fifty-move rule: ${distanceText(move)} half-moves needed, and the counter stands at ${halfmoves} of 100`;
    case 'rounding':
      return `the tables round: one half-move more would be too long, with the counter at ${halfmoves} of 100`;
    default:
      return REASONS[move.reason];
  }
}
