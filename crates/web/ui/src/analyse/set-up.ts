/** A position set up by hand, as the fields of a FEN. */

import { makeFen } from 'chessops/fen';
import { INITIAL_FEN, lostRights, positionOf } from '../chess/position.ts';

export interface SetUp {
  /** The pieces: the first field of the FEN. */
  board: string;
  turn: 'w' | 'b';
  /** Letters of castling rights; `-` for none. */
  castling: string;
  /** The square behind a pawn that may be captured in passing; `-` for none. */
  passant: string;
  /** Half-moves since the last capture or pawn move. */
  quiet: number;
  /** The number of the move. */
  move: number;
}

export const EMPTY_BOARD = '8/8/8/8/8/8/8/8';

/** Order of letters in the field of castling rights; Chess960 has rights named by files. */
const RIGHTS = 'ABCDEFGHKQabcdefghkq';

/** The fields of a FEN; those that it lacks have their usual values. */
export function setUpOf(fen: string): SetUp {
  const [board = EMPTY_BOARD, turn, castling = '-', passant = '-', quiet = '0', move = '1'] = fen.trim().split(/\s+/);
  const count = (text: string, least: number) => (/^\d{1,4}$/.test(text) ? Math.max(least, Number(text)) : least);
  return { board, turn: turn === 'b' ? 'b' : 'w', castling, passant, quiet: count(quiet, 0), move: count(move, 1) };
}

export const START = setUpOf(INITIAL_FEN);

export function fenOf({ board, turn, castling, passant, quiet, move }: SetUp): string {
  return `${board} ${turn} ${castling} ${passant} ${quiet} ${move}`;
}

/** The rights with one of them changed. */
export function withRight(castling: string, right: string): string {
  const rights = castling.includes(right) ? castling.replace(right, '') : `${castling.replace('-', '')}${right}`;
  return [...rights].sort((a, b) => RIGHTS.indexOf(a) - RIGHTS.indexOf(b)).join('') || '-';
}

/** The squares on which the side to move could capture in passing. */
export function passantSquares(setUp: SetUp): string[] {
  const rank = setUp.turn === 'w' ? 6 : 3;
  return [...'abcdefgh'].map((file) => `${file}${rank}`).filter((square) => passantOf(fenOf({ ...setUp, passant: square })) === square);
}

/** The square that a FEN keeps once it was read: only one on which a capture is legal. */
function passantOf(fen: string): string | undefined {
  const found = positionOf(fen);
  return 'position' in found ? makeFen(found.position.toSetup()).split(' ')[3] : undefined;
}

/** The rule that a position breaks; null if it is legal. */
export function ruleBroken(fen: string): string | null {
  const found = positionOf(fen);
  if ('problem' in found) return found.problem;
  const lost = lostRights(fen, found.position);
  return lost && `The position is not legal: expected ${lost}`;
}
