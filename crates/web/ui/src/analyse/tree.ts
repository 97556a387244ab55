/** A game with its variations, comments and glyphs, as a tree of positions. */

import { Chess } from 'chessops/chess';
import { INITIAL_FEN, makeFen, parseFen } from 'chessops/fen';
import {
  type ChildNode,
  type Comment,
  type CommentShape,
  type Game,
  Node as PgnNode,
  type PgnNodeData,
  makeComment,
  makePgn,
  parseComment,
  parsePgn,
  startingPosition,
} from 'chessops/pgn';
import { makeSanAndPlay, parseSan } from 'chessops/san';
import { isNormal } from 'chessops/types';
import { makeSquare, parseUci } from 'chessops/util';
import { standardUci, trusted, uciOfSan } from '../chess/position.ts';

export interface TreeNode {
  /** Half-moves from the start. */
  ply: number;
  uci: string;
  san: string;
  fen: string;
  parent: TreeNode | null;
  /** The main continuation first. */
  children: TreeNode[];
  comments: string[];
  /** What the PGN says before the move, where a variation begins. */
  introduction: string[];
  glyphs: number[];
  /** Arrows and circles drawn by people. */
  shapes: CommentShape[];
  /** Clock, time spent and evaluation as the PGN has them. */
  remarks: Pick<Comment, 'clock' | 'emt' | 'evaluation'>;
}

export interface GameTree {
  root: TreeNode;
  headers: Map<string, string>;
}

/** What is wrong with a PGN, and where. */
export interface PgnFault {
  game: number;
  line: number;
  column: number;
  found: string;
}

function bare(fen: string): TreeNode {
  return { ply: 0, uci: '', san: '', fen, parent: null, children: [], comments: [], introduction: [], glyphs: [], shapes: [], remarks: {} };
}

export function emptyTree(fen: string = INITIAL_FEN): GameTree {
  return { root: bare(fen), headers: new Map() };
}

/** The node a move leads to; a new variation where it was not there. Null where the move is not legal. */
export function play(node: TreeNode, uci: string): TreeNode | null {
  const known = node.children.find((child) => child.uci === uci);
  if (known) return known;
  const position = trusted(node.fen);
  const move = parseUci(uci);
  if (!move || !position.isLegal(move)) return null;
  const san = makeSanAndPlay(position, move);
  const child = { ...bare(makeFen(position.toSetup())), ply: node.ply + 1, uci, san, parent: node };
  node.children.push(child);
  return child;
}

/** The node after a line of moves, as far as it is legal. */
export function playLine(node: TreeNode, line: readonly string[]): TreeNode {
  let at = node;
  for (const uci of line) {
    const next = play(at, uci);
    if (!next) break;
    at = next;
  }
  return at;
}

/** Adds a line in SAN behind a node, as far as it is legal; what was there stays the main continuation. */
export function playSans(node: TreeNode, line: readonly string[]): void {
  let at = node;
  for (const san of line) {
    const uci = uciOfSan(trusted(at.fen), san);
    const next = uci ? play(at, uci) : null;
    if (!next) return;
    at = next;
  }
}

/** The moves from the start to a node. */
export function lineTo(node: TreeNode): string[] {
  const line: string[] = [];
  for (let at: TreeNode | null = node; at?.parent; at = at.parent) line.unshift(at.uci);
  return line;
}

/** A node and all that follow it by their first continuation. */
export function mainLine(node: TreeNode): TreeNode[] {
  const nodes = [node];
  for (let next = node.children[0]; next; next = next.children[0]) nodes.push(next);
  return nodes;
}

/** Whether every step to the node is a first continuation. */
export function isMainLine(node: TreeNode): boolean {
  return node.parent === null || (node.parent.children[0] === node && isMainLine(node.parent));
}

export function root(node: TreeNode): TreeNode {
  return node.parent ? root(node.parent) : node;
}

/** Makes a variation the first continuation where it branches off. */
export function promote(node: TreeNode): void {
  for (let at = node; at.parent; at = at.parent) {
    const { children } = at.parent;
    if (children[0] === at) continue;
    children.splice(children.indexOf(at), 1);
    children.unshift(at);
    return;
  }
}

/** Makes every step to a node a first continuation. */
export function makeMainLine(node: TreeNode): void {
  for (let at = node; at.parent; at = at.parent) {
    const { children } = at.parent;
    children.splice(children.indexOf(at), 1);
    children.unshift(at);
  }
}

/** Removes a node with everything after it; the node before it is what remains. */
export function removeFrom(node: TreeNode): TreeNode {
  const { parent } = node;
  if (!parent) return node;
  parent.children.splice(parent.children.indexOf(node), 1);
  return parent;
}

/** The node a path of child indices names. */
export function follow(tree: GameTree, path: readonly number[]): TreeNode {
  let at = tree.root;
  for (const index of path) {
    const next = at.children[index];
    if (!next) break;
    at = next;
  }
  return at;
}

export function pathTo(node: TreeNode): number[] {
  const path: number[] = [];
  for (let at = node; at.parent; at = at.parent) path.unshift(at.parent.children.indexOf(at));
  return path;
}

/** All games of a PGN. A game with an illegal move keeps everything before it, and the fault is told. */
export function readPgn(text: string): { games: GameTree[]; faults: PgnFault[] } {
  const games: GameTree[] = [];
  const faults: PgnFault[] = [];
  for (const [index, game] of parsePgn(text).entries()) {
    const start = startingPosition(game.headers);
    if (start.isErr) {
      faults.push({ game: index + 1, ...locate(text, game.headers.get('FEN') ?? ''), found: game.headers.get('FEN') ?? '' });
      continue;
    }
    const position = start.value as Chess;
    const tree: GameTree = { root: bare(makeFen(position.toSetup())), headers: game.headers };
    readComments(tree.root, game.comments ?? []);
    grow(tree.root, game.moves, position, (san) => faults.push({ game: index + 1, ...locate(text, san), found: san }));
    games.push(tree);
  }
  return { games, faults };
}

function grow(node: TreeNode, from: PgnNode<PgnNodeData>, position: Chess, fault: (san: string) => void): void {
  for (const child of from.children) {
    const move = parseSan(position, child.data.san);
    if (!move || !isNormal(move)) {
      fault(child.data.san);
      continue;
    }
    const uci = standardUci(position, makeSquare(move.from), makeSquare(move.to), move.promotion);
    const after = position.clone();
    const san = makeSanAndPlay(after, move);
    const grown: TreeNode = {
      ...bare(makeFen(after.toSetup())),
      ply: node.ply + 1,
      uci,
      san,
      parent: node,
      introduction: child.data.startingComments ?? [],
      glyphs: child.data.nags ?? [],
    };
    readComments(grown, child.data.comments ?? []);
    node.children.push(grown);
    grow(grown, child, after, fault);
  }
}

/** Texts for people stay comments; arrows, clocks and evaluations in square brackets become what they mean. */
function readComments(node: TreeNode, comments: readonly string[]): void {
  for (const comment of comments) {
    if (!comment.includes('[%')) {
      node.comments.push(comment);
      continue;
    }
    const { text, shapes, ...remarks } = parseComment(comment);
    if (text) node.comments.push(text);
    node.shapes.push(...shapes);
    Object.assign(node.remarks, remarks);
  }
}

/** The comments of a node as a PGN has them. */
function commentsOf(node: TreeNode): string[] {
  const marks = makeComment({ shapes: node.shapes, ...node.remarks });
  return marks ? [...node.comments, marks] : node.comments;
}

/** Line and column of a word in a text; the first that stands alone. */
function locate(text: string, word: string): { line: number; column: number } {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const at = text.search(new RegExp(`(?<![\\w-])${escaped}(?![\\w])`));
  const before = text.slice(0, Math.max(0, at));
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

/** The tree as PGN. */
export function writePgn(tree: GameTree): string {
  const headers = new Map(tree.headers);
  for (const [name, value] of [['Event', '?'], ['Site', '?'], ['Date', '????.??.??'], ['Round', '?'], ['White', '?'], ['Black', '?'], ['Result', '*']] as const) {
    if (!headers.has(name)) headers.set(name, value);
  }
  if (tree.root.fen !== INITIAL_FEN) {
    headers.set('SetUp', '1');
    headers.set('FEN', tree.root.fen);
  }
  const moves = new PgnNode<PgnNodeData>();
  copy(tree.root, moves);
  const game: Game<PgnNodeData> = { headers, moves };
  const comments = commentsOf(tree.root);
  if (comments.length > 0) game.comments = comments;
  return makePgn(game);
}

function copy(from: TreeNode, to: PgnNode<PgnNodeData>): void {
  for (const child of from.children) {
    const data: PgnNodeData = { san: child.san };
    const comments = commentsOf(child);
    if (comments.length > 0) data.comments = comments;
    if (child.introduction.length > 0) data.startingComments = child.introduction;
    if (child.glyphs.length > 0) data.nags = child.glyphs;
    const node = new PgnNode<PgnNodeData>() as ChildNode<PgnNodeData>;
    node.data = data;
    to.children.push(node);
    copy(child, node);
  }
}

/** What somebody pasted: a FEN, moves in UCI, or PGN. */
export function readAnything(text: string): { games: GameTree[]; faults: PgnFault[]; problem?: string } {
  const trimmed = text.trim();
  if (/^[1-8pnbrqkPNBRQK]+(\/[1-8pnbrqkPNBRQK]+){7}\s/.test(`${trimmed} `)) {
    const setup = parseFen(trimmed);
    const position = setup.isOk ? Chess.fromSetup(setup.value) : null;
    if (!position?.isOk) return { games: [], faults: [], problem: 'This looks like a FEN, but its position is not legal.' };
    return { games: [emptyTree(makeFen(position.value.toSetup()))], faults: [] };
  }
  if (/^([a-h][1-8][a-h][1-8][qrbn]?[\s,]*)+$/.test(trimmed)) {
    const tree = emptyTree();
    const line = trimmed.split(/[\s,]+/).filter(Boolean);
    const end = playLine(tree.root, line);
    if (end.ply < line.length) {
      return { games: [tree], faults: [], problem: `Move ${end.ply + 1}, "${line[end.ply]}", is not legal; the moves before it were kept.` };
    }
    return { games: [tree], faults: [] };
  }
  const { games, faults } = readPgn(text);
  const empty = games.every((game) => game.root.children.length === 0 && game.headers.get('White') === undefined);
  if (games.length === 0 || (empty && faults.length === 0)) {
    return { games: [], faults, problem: 'Neither a FEN nor moves nor PGN was found.' };
  }
  return { games, faults };
}
