/** Positions along a game, and what the board needs to know about them. */

import { Chess, castlingSide, normalizeMove, type Position } from 'chessops/chess';
import { chessgroundDests } from 'chessops/compat';
import { INITIAL_FEN, makeFen, parseFen } from 'chessops/fen';
import { makeSanAndPlay, parseSan } from 'chessops/san';
import { type NormalMove, type Role, isNormal } from 'chessops/types';
import { kingCastlesTo, makeSquare, makeUci, parseSquare, parseUci } from 'chessops/util';
import type { Key } from '@lichess-org/chessground/types';
import type { Colour } from '../server/types.ts';

export { INITIAL_FEN };
export type { Position };

/** One point of a game. */
export interface Station {
  fen: string;
  /** The move that led here; null at the start. */
  uci: string | null;
  san: string | null;
}

const FIELDS = 'board, side to move, castling, en passant and two counters';

/** The position of a FEN of four to six fields, or the reason why it is invalid. */
export function positionOf(fen: string): { position: Position } | { problem: string } {
  const fields = fen.trim().split(/\s+/).length;
  // The server does not read any others.
  if (fields < 4 || fields > 6) return { problem: `The FEN cannot be read: found ${fields} of its fields, expected four to six (${FIELDS}).` };
  const setup = parseFen(fen.trim());
  if (setup.isErr) return { problem: `The FEN cannot be read: ${fenProblem(setup.error.message)}.` };
  const position = Chess.fromSetup(setup.value);
  if (position.isErr) return { problem: `The position is not legal: ${positionProblem(position.error.message)}.` };
  return { position: position.value };
}

/** What became of castling rights that a FEN names without the king and the rook for them, as parts of sentences; null if there are none. */
export function lostRights(fen: string, position: Position): string | null {
  const named = fen.trim().split(/\s+/)[2] ?? '-';
  if (named === '-' || new Set(named).size <= position.castles.castlingRights.size()) return null;
  const kept = makeFen(position.toSetup()).split(' ')[2] ?? '-';
  return `castling rights for which king and rook are there. Of ${named}, ${kept === '-' ? 'none' : kept} was kept.`;
}

/** True for a FEN whose castling field names files of rooks or grants rights that orthodox chess does not have, as the server decides it. */
export function isChess960(fen: string): boolean {
  if (/[a-h]/i.test(fen.trim().split(/\s+/)[2] ?? '')) return true;
  const setup = parseFen(fen.trim());
  if (setup.isErr) return false;
  const { board, castlingRights } = setup.value;
  for (const rook of castlingRights) {
    const king = board.kingOf(rook < 8 ? 'white' : 'black');
    if (king === undefined || king % 8 !== 4 || (rook % 8 !== 0 && rook % 8 !== 7)) return true;
  }
  return false;
}

/** A position known to be legal, such as one the server sent. */
export function trusted(fen: string): Position {
  const found = positionOf(fen);
  if ('problem' in found) throw new Error(`${found.problem} (${fen})`);
  return found.position;
}

const FEN_PROBLEMS: Record<string, string> = {
  ERR_FEN: `expected ${FIELDS}`,
  ERR_BOARD: 'the first field does not have eight ranks',
  // Only brackets mark pieces in hand, but the parser takes a ninth rank for pieces in hand as well.
  ERR_POCKETS: 'the first field does not have eight ranks',
  ERR_TURN: 'the side to move must be w or b',
  ERR_CASTLING: 'the castling field must be made of K, Q, k and q, or be -',
  ERR_EP_SQUARE: 'the en passant field must be a square or -',
  ERR_REMAINING_CHECKS: 'remaining checks belong to another game',
  ERR_HALFMOVES: 'the fifth field must be a number',
  ERR_FULLMOVES: 'the sixth field must be a number',
};

const POSITION_PROBLEMS: Record<string, string> = {
  ERR_EMPTY: 'the board is empty',
  ERR_OPPOSITE_CHECK: 'the side that just moved is in check',
  ERR_PAWNS_ON_BACKRANK: 'a pawn is on the first or last rank',
  ERR_KINGS: 'each side needs exactly one king',
  ERR_VARIANT: 'it belongs to another game',
};

function fenProblem(code: string): string {
  return FEN_PROBLEMS[code] ?? code;
}

function positionProblem(code: string): string {
  return POSITION_PROBLEMS[code] ?? code;
}

/** The stations of a line from a position. Stops before a move that is not legal. */
export function stationsOf(startFen: string, moves: readonly string[]): Station[] {
  const position = trusted(startFen);
  const stations: Station[] = [{ fen: makeFen(position.toSetup()), uci: null, san: null }];
  for (const uci of moves) {
    const move = parseUci(uci);
    if (!move || !position.isLegal(move)) break;
    const san = makeSanAndPlay(position, move);
    stations.push({ fen: makeFen(position.toSetup()), uci, san });
  }
  return stations;
}

/** The positions of a line of legal moves, without the names of the moves, which take most of the time of `stationsOf`. */
export function fensOf(startFen: string, moves: readonly string[]): string[] {
  const position = trusted(startFen);
  const fens = [makeFen(position.toSetup())];
  for (const uci of moves) {
    const move = parseUci(uci);
    if (!move) break;
    position.play(move);
    fens.push(makeFen(position.toSetup()));
  }
  return fens;
}

/** Origin and target as the eye sees them: castling moves the king two squares. */
export function squaresOf(uci: string, before?: string): Key[] {
  const from = uci.slice(0, 2) as Key;
  const to = uci.slice(2, 4) as Key;
  if (!before) return [from, to];
  const move = parseUci(uci);
  const position = trusted(before);
  if (!move || !isNormal(move)) return [from, to];
  const side = castlingSide(position, move);
  return side ? [from, makeSquare(kingCastlesTo(position.turn, side))] : [from, to];
}

/** The move in the form the server writes: castling as a king move of two squares, where only Chess960 allows it as the king taking its rook. */
export function standardUci(position: Position, from: Key, to: Key, promotion?: Role): string {
  const move = normalizeMove(position, {
    from: parseSquare(from) as number,
    to: parseSquare(to) as number,
    ...(promotion ? { promotion } : {}),
  }) as NormalMove;
  const side = castlingSide(position, move);
  const orthodox = move.from % 8 === 4 && (move.to % 8 === 0 || move.to % 8 === 7);
  if (!side || !orthodox) return makeUci(move);
  return makeUci({ from: move.from, to: kingCastlesTo(position.turn, side) });
}

export function destinationsOf(position: Position): Map<Key, Key[]> {
  return chessgroundDests(position) as Map<Key, Key[]>;
}

/** True if the move needs the choice of a promotion piece. */
export function isPromotion(position: Position, from: Key, to: Key): boolean {
  const piece = position.board.get(parseSquare(from) as number);
  return piece?.role === 'pawn' && (to[1] === '8' || to[1] === '1');
}

export function checkedColour(position: Position): Colour | false {
  return position.isCheck() ? position.turn : false;
}

function plain(san: string): string {
  return san.replace(/[x+#=]/g, '');
}

/** All legal moves that match a typed move: UCI, SAN, SAN without `x`, `+`, `=`, zeros for castling. */
export function typedMoves(position: Position, text: string): { uci: string; san: string }[] {
  const typed = text.trim();
  if (!typed) return [];
  const castling = typed.replace(/0/g, 'O').toUpperCase();
  const exact: { uci: string; san: string }[] = [];
  const loose: { uci: string; san: string }[] = [];
  for (const legal of legalMoves(position)) {
    if (legal.uci === typed || plain(legal.san) === plain(typed) || plain(legal.san) === castling) exact.push(legal);
    else if (plain(legal.san).toLowerCase() === plain(typed).toLowerCase()) loose.push(legal);
  }
  return exact.length > 0 ? exact : loose;
}

/** All legal moves in both notations. */
export function legalMoves(position: Position): { uci: string; san: string }[] {
  const moves: { uci: string; san: string }[] = [];
  for (const [from, targets] of position.allDests()) {
    for (const to of targets) {
      const promotes = isPromotion(position, makeSquare(from), makeSquare(to));
      const promotions: (Role | undefined)[] = promotes ? ['queen', 'knight', 'rook', 'bishop'] : [undefined];
      for (const promotion of promotions) {
        const uci = standardUci(position, makeSquare(from), makeSquare(to), promotion);
        const move = parseUci(uci);
        if (move) moves.push({ uci, san: makeSanAndPlay(position.clone(), move) });
      }
    }
  }
  return moves;
}

/** The UCI move of a SAN text; null if it does not name a legal move. */
export function uciOfSan(position: Position, san: string): string | null {
  const move = parseSan(position, san);
  if (!move || !isNormal(move)) return null;
  return standardUci(position, makeSquare(move.from), makeSquare(move.to), move.promotion);
}

const ROLE_WORTH: Record<Role, number> = { pawn: 1, knight: 3, bishop: 3, rook: 5, queen: 9, king: 0 };
const CAPTURE_ORDER: Role[] = ['pawn', 'knight', 'bishop', 'rook', 'queen'];

/** The pieces that each side has more of than the other, and by how much it is ahead in pawns. */
export function materialOf(position: Position): Record<Colour, { surplus: Role[]; ahead: number }> {
  const count = (colour: Colour, role: Role) => position.board.pieces(colour, role).size();
  const worth = (colour: Colour) =>
    CAPTURE_ORDER.reduce((sum, role) => sum + ROLE_WORTH[role] * count(colour, role), 0);
  const balance = worth('white') - worth('black');
  const more = (own: Colour, other: Colour) =>
    CAPTURE_ORDER.flatMap((role) => Array<Role>(Math.max(0, count(own, role) - count(other, role))).fill(role));
  return {
    white: { surplus: more('white', 'black'), ahead: balance },
    black: { surplus: more('black', 'white'), ahead: -balance },
  };
}

/** A move in words, for screen readers: `knight f6, check`. */
export function spoken(san: string): string {
  const castling: Record<string, string> = { 'O-O': 'castles kingside', 'O-O-O': 'castles queenside' };
  const bare = san.replace(/[+#]/g, '');
  const names: Record<string, string> = { K: 'king', Q: 'queen', R: 'rook', B: 'bishop', N: 'knight' };
  let words = castling[bare];
  if (!words) {
    const [body = '', promotion] = bare.split('=');
    const piece = names[body[0] ?? ''] ?? 'pawn';
    const takes = body.includes('x') ? ' takes' : '';
    words = `${piece}${takes} ${body.slice(-2)}${promotion ? `, promotes to ${names[promotion] ?? promotion}` : ''}`;
  }
  if (san.endsWith('#')) return `${words}, checkmate`;
  return san.endsWith('+') ? `${words}, check` : words;
}
