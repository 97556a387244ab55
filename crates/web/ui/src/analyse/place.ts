/** Where an analysis is: addresses of games, of analyses on the server, and of lines of moves. */

import { makeFen } from 'chessops/fen';
import { lostRights, positionOf } from '../chess/position.ts';
import { queryText } from '../route.ts';
import type { OpeningGame } from '../server/types.ts';
import { keptInTab } from './kept.ts';
import { noteRevision, revisionOf, unsaved } from './saving.ts';
import { type GameTree, type TreeNode, emptyTree, follow, hasWork, lineTo, mainLine, nodeAt, playLine, readPgn } from './tree.ts';

/** The tree on the board and the position shown. */
export interface Shown {
  tree: GameTree;
  node: TreeNode;
  /** Its name on the server: that of a game, or one of its own; null as long as the reader has changed nothing. */
  id: string | null;
}

/** Headers that an address carries, with their names in it: the players, their ratings and the result. */
const CARRIED = [
  ['White', 'white'],
  ['Black', 'black'],
  ['WhiteElo', 'whiteelo'],
  ['BlackElo', 'blackelo'],
  ['Result', 'score'],
] as const;

/** Values of headers that say nothing. */
const UNKNOWN = new Set(['', '?', '-', '*']);

/** A longer line of moves is not in the address; the server and the tab have it. */
const LONGEST_ADDRESS = 1800;

/** True for the names of games played on the page; an analysis of a game has the name of the game. */
export function isGame(id: string): boolean {
  return /^\d/.test(id);
}

/** The address that opens an analysis where it was left. */
export function openingAddress(id: string): string {
  return isGame(id) ? `/analyse/${id}` : `/analyse?analysis=${id}`;
}

/** The address of what is shown, with the choices of the present one. */
export function addressOf({ tree, node, id }: Shown): string {
  const query = choices();
  if (id !== null && isGame(id)) return `/analyse/${id}${queryText(query)}#${node.ply}`;
  if (id !== null) query.set('analysis', id);
  if (tree.root.fen !== emptyTree().root.fen) query.set('fen', tree.root.fen);
  // The whole line, so that a link leads to the game and not to its beginning; the ply on the board is written separately.
  const line = lineThrough(node);
  const text = line.join(',');
  if (text && text.length < LONGEST_ADDRESS) carry(query, line, node.ply, tree.headers);
  return `/analyse${queryText(query)}`;
}

/** The address of a game behind an opening table, at the position from which it was found. A long game is cut where a server would refuse the address. */
export function listedAddress(game: OpeningGame): string {
  const query = choices();
  if (game.fen !== null) query.set('fen', game.fen);
  const texts = [game.white, game.black, game.white_rating, game.black_rating, game.result];
  // Six characters a move; the position must be in it.
  const most = Math.max(game.ply, Math.floor(LONGEST_ADDRESS / 6));
  carry(query, game.moves.slice(0, most), game.ply, new Map(CARRIED.map(([header], index) => [header, String(texts[index] ?? '')])));
  return `/analyse${queryText(query)}`;
}

/** The choices in the present address, without what it shows. */
function choices(): URLSearchParams {
  const query = new URLSearchParams(location.search);
  for (const name of ['analysis', 'fen', 'moves', 'ply', 'result', ...CARRIED.map(([, key]) => key)]) query.delete(name);
  return query;
}

/** Adds a line of moves, the position shown in it, and headers. */
function carry(query: URLSearchParams, line: readonly string[], ply: number, headers: ReadonlyMap<string, string>): void {
  query.set('moves', line.join(','));
  if (ply < line.length) query.set('ply', String(ply));
  for (const [header, key] of CARRIED) {
    const text = headers.get(header) ?? '';
    if (!UNKNOWN.has(text)) query.set(key, text);
  }
}

/** The moves to a node and then along its main continuation. */
function lineThrough(node: TreeNode): string[] {
  return lineTo(mainLine(node).at(-1) ?? node);
}

/** True if an address names no position, game or analysis: it stands for the last one. */
export function isBare(gameId: string | undefined, query: URLSearchParams): boolean {
  return gameId === undefined && !['analysis', 'fen', 'moves', 'result'].some((name) => query.get(name));
}

/** What is known of an analysis without asking the server. */
export interface Found {
  shown: Shown;
  /** The revision that the tree is or was changed from; 0 if it is only what the address names. */
  revision: number;
  /** False if something of it may not have reached the server. */
  saved: boolean;
}

/** What an address names. */
export function foundAt(gameId: string | undefined, query: URLSearchParams, complain: (problem: string) => void): Found {
  const id = gameId ?? query.get('analysis');
  const kept = fromTab(id);
  if (kept && id !== null) {
    const { tree, node } = kept.shown;
    return { ...kept, shown: { id, tree, node: namedNode(tree, query) ?? node } };
  }
  if (kept && (isBare(gameId, query) || sameLine(kept.shown, query))) return kept;
  const tree = emptyTree();
  const shown = gameId === undefined ? fromQuery(query, complain) : { tree, node: tree.root, id: gameId };
  return { shown, revision: 0, saved: true };
}

/** What this tab has of an analysis; of the one it showed last if `id` is null. */
function fromTab(id: string | null): Found | null {
  const last = keptInTab();
  const kept = last && (id === null || last.id === id) ? last : null;
  const draft = id === null ? undefined : unsaved(id);
  const from = kept ?? draft;
  const tree = from && readPgn(from.pgn).games[0];
  if (!tree) return null;
  const own = kept ? kept.id : id;
  if (kept && own !== null) noteRevision(own, kept.revision);
  const waits = own !== null && unsaved(own) !== undefined;
  return { shown: { tree, node: follow(tree, from.path), id: own }, revision: own === null ? 0 : revisionOf(own), saved: waits || !kept || kept.saved };
}

/** True if the query names the position that was left: its variations are then kept. */
function sameLine({ tree, node }: Shown, query: URLSearchParams): boolean {
  const moves = movesOf(query);
  return (query.get('fen') ?? emptyTree().root.fen) === tree.root.fen && lineThrough(node).join(',') === moves.join(',') && (plyOf(query) ?? moves.length) === node.ply;
}

/** The position that a query names in a tree; null if it names none, or one that the tree does not have. */
function namedNode({ root }: GameTree, query: URLSearchParams): TreeNode | null {
  const moves = movesOf(query);
  if (moves.length === 0 || nodeAt(root, moves).ply < moves.length) return null;
  return nodeAt(root, moves.slice(0, plyOf(query) ?? moves.length));
}

function movesOf(query: URLSearchParams): string[] {
  return query.get('moves')?.split(',').filter(Boolean) ?? [];
}

function plyOf(query: URLSearchParams): number | null {
  const asked = Number.parseInt(query.get('ply') ?? '', 10);
  return Number.isNaN(asked) ? null : asked;
}

function fromQuery(query: URLSearchParams, complain: (problem: string) => void): Shown {
  const fen = query.get('fen');
  const moves = movesOf(query);
  const judged = fen ? positionOf(fen) : null;
  if (judged && 'problem' in judged) complain(judged.problem);
  const lost = fen && judged && 'position' in judged ? lostRights(fen, judged.position) : null;
  if (lost) complain(`The FEN in the address is not legal: expected ${lost}`);
  // The server refuses rights that the position cannot have.
  const start = judged && 'position' in judged ? (lost ? makeFen(judged.position.toSetup()) : fen) : null;
  const tree = emptyTree(start ?? undefined);
  for (const [header, key] of CARRIED) {
    const text = query.get(key);
    if (text) tree.headers.set(header, text);
  }
  const node = playLine(tree.root, moves);
  if (node.ply < moves.length) complain(`The address names the move "${moves[node.ply]}" after ${node.ply}; it is not legal there. The moves before it are on the board.`);
  const ply = plyOf(query);
  return { tree, node: (ply === null ? null : mainLine(tree.root)[ply]) ?? node, id: query.get('analysis') };
}

/** True for a board on which there is nothing to lose. */
export function isBlank(tree: GameTree): boolean {
  return !hasWork(tree) && tree.root.fen === emptyTree().root.fen;
}
