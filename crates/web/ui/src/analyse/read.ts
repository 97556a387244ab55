/** Reads pasted, dropped or typed text: a FEN, moves in UCI, or PGN. Text that cannot be read is reported with its place. */

import { makeFen } from 'chessops/fen';
import { lostRights, positionOf } from '../chess/position.ts';
import type { PgnFault } from './pgn-faults.ts';
import { type GameTree, emptyTree, playLine, readPgn } from './tree.ts';

export interface Reading {
  games: GameTree[];
  faults: PgnFault[];
  problem?: string;
}

/** Longer texts are refused: a page is not a database. */
export const LONGEST_TEXT = 8 * 1024 * 1024;
/** Length up to which the beginning of a text is quoted. */
const QUOTED = 40;
/** Longer texts are not taken for lists of moves in UCI. */
const LONGEST_LINE = 100_000;

export function readAnything(text: string): Reading {
  const trimmed = text.trim();
  const fail = (problem: string): Reading => ({ games: [], faults: [], problem });
  const positions = readPositions(trimmed);
  if (positions) return positions;
  if (looksLikeFen(trimmed)) {
    const found = positionOf(completed(trimmed));
    if ('problem' in found) return fail(found.problem);
    const lost = lostRights(trimmed, found.position);
    return { games: [emptyTree(makeFen(found.position.toSetup()))], faults: [], ...(lost ? { problem: `The FEN is not legal: expected ${lost}` } : {}) };
  }
  if (trimmed.length < LONGEST_LINE && /^([a-h][1-8][a-h][1-8][qrbn]?[\s,]*)+$/.test(trimmed)) return readMoves(trimmed);
  if (/^https?:\/\/\S+$/.test(trimmed)) {
    return fail('This is an address. The page sends no requests to other sites: open it in a browser tab, copy the PGN and paste it here.');
  }
  const { games, faults } = readPgn(text);
  const real = games.filter((game) => game.root.children.length > 0 || game.headers.has('FEN') || named(game));
  const quoted = trimmed.length > QUOTED ? `${trimmed.slice(0, QUOTED)}...` : trimmed;
  // A game that was left out is said with its place.
  if (games.length === 0 && faults.length > 0) return { games, faults };
  if (real.length === 0) return fail(`Neither a FEN nor moves nor PGN: it begins with "${quoted}".`);
  return { games: real, faults };
}

/** `bm Nf6; id "WAC.001";` after the four fields of a position: the extended position description of chess programs. */
const EPD = /^((?:[pnbrqkPNBRQK1-8]+\/){7}[pnbrqkPNBRQK1-8]+ [wb] \S+ \S+)((?: +[a-zA-Z]\w*(?: [^;]*)?;?)+)$/;

/** Positions in EPD, one per line; null if the text is something else. */
function readPositions(text: string): Reading | null {
  const lines = text.split('\n').map((line) => line.trim()).filter(Boolean);
  const games: GameTree[] = [];
  for (const line of lines) {
    const [, position = '', operations = ''] = EPD.exec(line) ?? [];
    const found = position ? positionOf(`${position} 0 1`) : null;
    if (!found || 'problem' in found) return null;
    const tree = emptyTree(makeFen(found.position.toSetup()));
    tree.root.comments.push(operations.trim());
    const [, name] = /\bid "([^"]*)"/.exec(operations) ?? [];
    tree.headers.set('Event', name ?? operations.trim());
    games.push(tree);
  }
  return games.length > 0 ? { games, faults: [] } : null;
}

/** True if somebody wrote a header; false if there are only the parser's defaults. */
function named(game: GameTree): boolean {
  return ['Event', 'Site', 'White', 'Black'].some((name) => (game.headers.get(name) ?? '?') !== '?');
}

/** Completes a FEN of only the board, or the board and some fields, with the usual values: people often copy no more. */
function completed(fen: string): string {
  const fields = fen.split(/\s+/);
  return fields.length < 4 ? [...fields, ...['w', '-', '-'].slice(fields.length - 1), '0', '1'].join(' ') : fen;
}

/** True for one line whose first word has the slashes of a board, whatever else is wrong with it. */
function looksLikeFen(text: string): boolean {
  const [board = ''] = text.split(/\s/);
  return !text.includes('\n') && board.split('/').length >= 5 && !board.includes(':');
}

function readMoves(text: string): Reading {
  const tree = emptyTree();
  const line = text.split(/[\s,]+/).filter(Boolean);
  const end = playLine(tree.root, line);
  if (end.ply === line.length) return { games: [tree], faults: [] };
  return { games: [tree], faults: [], problem: `Move ${end.ply + 1}, "${line[end.ply]}", is not legal; the moves before it were kept.` };
}
