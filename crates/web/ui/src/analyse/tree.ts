/** A game with its variations, comments and glyphs, as a tree of positions. */

import type { Chess } from 'chessops/chess';
import { INITIAL_FEN, makeFen } from 'chessops/fen';
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
  parseVariant,
  startingPosition,
} from 'chessops/pgn';
import { makeSanAndPlay, parseSan } from 'chessops/san';
import { isNormal } from 'chessops/types';
import { makeSquare, parseUci } from 'chessops/util';
import { type Position, isChess960, lostRights, standardUci, trusted, uciOfSan } from '../chess/position.ts';
import { EXPECTED, type PgnFault, openComment, placeOf } from './pgn-faults.ts';
import { strayWords, withCodes } from './stray-words.ts';

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
  /** Comments of the PGN before the move, at the start of a variation. */
  introduction: string[];
  glyphs: number[];
  /** Arrows and circles drawn by people. */
  shapes: CommentShape[];
  /** Clock, time spent and evaluation from the PGN. */
  remarks: Pick<Comment, 'clock' | 'emt' | 'evaluation'>;
}

export interface GameTree {
  root: TreeNode;
  headers: Map<string, string>;
}

function bare(fen: string): TreeNode {
  return { ply: 0, uci: '', san: '', fen, parent: null, children: [], comments: [], introduction: [], glyphs: [], shapes: [], remarks: {} };
}

export function emptyTree(fen: string = INITIAL_FEN): GameTree {
  return { root: bare(fen), headers: new Map() };
}

/** The node a move leads to, added as a new variation if it did not exist. Null if the move is not legal. */
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

/**
 * Adds a line in SAN after a node, as far as it is legal, and returns its end; an existing continuation stays the main one.
 */
export function playSans(node: TreeNode, line: readonly string[]): TreeNode {
  let at = node;
  for (const san of line) {
    const uci = uciOfSan(trusted(at.fen), san);
    const next = uci ? play(at, uci) : null;
    if (!next) break;
    at = next;
  }
  return at;
}

/** The node after a line of moves, as far as the tree has it. */
export function nodeAt(root: TreeNode, line: readonly string[]): TreeNode {
  let at = root;
  for (const uci of line) {
    const next = at.children.find((child) => child.uci === uci);
    if (!next) break;
    at = next;
  }
  return at;
}

/** True if a tree has more than a position. */
export function hasWork({ root }: GameTree): boolean {
  return root.children.length > 0 || root.comments.length > 0 || root.shapes.length > 0;
}

/** The moves from the start to a node. */
export function lineTo(node: TreeNode): string[] {
  const line: string[] = [];
  for (let at: TreeNode | null = node; at?.parent; at = at.parent) line.unshift(at.uci);
  return line;
}

/** A node and all the nodes that follow it by first continuations. */
export function mainLine(node: TreeNode): TreeNode[] {
  const nodes = [node];
  for (let next = node.children[0]; next; next = next.children[0]) nodes.push(next);
  return nodes;
}

/** True if every step to the node is a first continuation. */
export function isMainLine(node: TreeNode): boolean {
  for (let at = node; at.parent; at = at.parent) if (at.parent.children[0] !== at) return false;
  return true;
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

/** Removes a node with everything after it, and returns the node before it. */
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

/** Longest game that is read, in half-moves: the seventy-five-move rule ends every game sooner. */
const MOST_PLIES = 12_000;

/** All games of a PGN. A game with an illegal move keeps everything before it; that and whatever else was not taken as it was written is reported. */
export function readPgn(text: string): { games: GameTree[]; faults: PgnFault[] } {
  const games: GameTree[] = [];
  const faults: PgnFault[] = [];
  const strays = strayWords(text);
  const begins = [...text.matchAll(/^\s*\[Event /gm)].map((match) => match.index);
  const parsed = parsePgn(withCodes(text, strays));
  for (const [index, game] of parsed.entries()) {
    const begin = begins[index] ?? 0;
    const blame = (at: number, found: string, expected: string) => faults.push({ game: index + 1, ...placeOf(text, at), found, expected });
    const blameHeader = (value: string, expected: string) => blame(Math.max(0, text.indexOf(value, begin)), value, expected);
    const variant = game.headers.get('Variant');
    if (parseVariant(variant) !== 'chess') {
      blameHeader(variant ?? '', EXPECTED.chess);
      continue;
    }
    const fen = game.headers.get('FEN') ?? '';
    const start = startingPosition(game.headers);
    if (start.isErr) {
      blameHeader(fen, EXPECTED.start);
      continue;
    }
    const position = start.value as Chess;
    const lost = fen ? lostRights(fen, position) : null;
    if (lost) blameHeader(fen, lost);
    const tree: GameTree = { root: bare(makeFen(position.toSetup())), headers: game.headers };
    readComments(tree.root, game.comments ?? []);
    grow(tree.root, game.moves, position, (node, san) => {
      const stray = strays.find((word) => word.code === san);
      blame(stray?.at ?? placeOfMove(text, begin, node, san), stray?.text ?? san, EXPECTED.move);
    });
    games.push(tree);
  }
  const open = openComment(text);
  // The comment reaches to the end of the text, so it belongs to the last game.
  if (open !== null && parsed.length > 0) faults.push({ game: parsed.length, ...placeOf(text, open), found: text.slice(open).trim(), expected: EXPECTED.end });
  return { games, faults };
}

/** Adds the moves that follow in the PGN, without recursion: a long game must not exhaust the stack. */
function grow(root: TreeNode, moves: PgnNode<PgnNodeData>, start: Position, fault: (node: TreeNode, san: string) => void): void {
  const waiting: { node: TreeNode; from: PgnNode<PgnNodeData>; position: Position }[] = [{ node: root, from: moves, position: start }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, from, position } = next;
    const grown: typeof waiting = [];
    for (const child of from.children) {
      const move = parseSan(position, child.data.san);
      if (!move || !isNormal(move) || node.ply >= MOST_PLIES) {
        fault(node, child.data.san);
        continue;
      }
      const uci = standardUci(position, makeSquare(move.from), makeSquare(move.to), move.promotion);
      const after = position.clone();
      const san = makeSanAndPlay(after, move);
      const added: TreeNode = {
        ...bare(makeFen(after.toSetup())),
        ply: node.ply + 1,
        uci,
        san,
        parent: node,
        introduction: child.data.startingComments ?? [],
        glyphs: child.data.nags ?? [],
      };
      readComments(added, child.data.comments ?? []);
      node.children.push(added);
      grown.push({ node: added, from: child, position: after });
    }
    waiting.push(...grown.reverse());
  }
}

/** Place of an illegal move: after as many occurrences of the same word as the game reached legally before it. */
function placeOfMove(text: string, from: number, node: TreeNode, san: string): number {
  let before = 0;
  for (let at: TreeNode | null = node; at?.parent; at = at.parent) if (at.san === san) before += 1;
  const escaped = san.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const found = [...text.slice(from).matchAll(new RegExp(`(?<![\\w-])${escaped}(?![\\w])`, 'g'))];
  return from + ((found[before] ?? found[0])?.index ?? 0);
}

/** Whole numbers in `[%eval]` are centipawns and depth for ChessBase and pawns for others; only 0 is the same. */
const OF_UNKNOWN_SCALE = /\[%eval\s+(?!0\s*\])[+-]?\d+(?:\s*,[^\]]*)?\s*\]/g;

/** Plain text stays a comment; arrows, clocks and evaluations in square brackets are parsed. */
function readComments(node: TreeNode, comments: readonly string[]): void {
  for (const comment of comments) {
    if (!comment.includes('[%')) {
      node.comments.push(comment);
      continue;
    }
    // Kept as text, an evaluation of unknown scale is written as it was read.
    const kept = comment.match(OF_UNKNOWN_SCALE) ?? [];
    const { text, shapes, ...remarks } = parseComment(comment.replace(OF_UNKNOWN_SCALE, ' '));
    const words = [text, ...kept].filter((part) => part !== '');
    if (words.length > 0) node.comments.push(words.join(' '));
    node.shapes.push(...shapes);
    // Each of several comments has its own remarks.
    Object.assign(node.remarks, Object.fromEntries(Object.entries(remarks).filter(([, value]) => value !== undefined)));
  }
}

/** The comments of a node in the form of a PGN. */
function commentsOf(node: TreeNode): string[] {
  const marks = makeComment({ shapes: node.shapes, ...node.remarks });
  return marks ? [...node.comments, marks] : node.comments;
}

/** Tags `Variant` that leave it to the position whether a game is one of Chess960. */
const UNTOLD_VARIANT = /^\s*(standard|normal|classical|orthodox|from position|)\s*$/i;

/** The tree as PGN. */
export function writePgn(tree: GameTree): string {
  const headers = new Map(tree.headers);
  for (const [name, value] of [['Event', '?'], ['Site', '?'], ['Date', '????.??.??'], ['Round', '?'], ['White', '?'], ['Black', '?'], ['Result', '*']] as const) {
    if (!headers.has(name)) headers.set(name, value);
  }
  // Without the tag, other programs drop castling rights that orthodox chess does not know. The position of the tree is written without
  // files of rooks, that of its source may have them.
  if (UNTOLD_VARIANT.test(headers.get('Variant') ?? '') && [tree.root.fen, headers.get('FEN') ?? ''].some(isChess960)) headers.set('Variant', 'Chess960');
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

/** Copies a tree into the form that the PGN writer takes, without recursion. */
function copy(root: TreeNode, target: PgnNode<PgnNodeData>): void {
  const waiting: { from: TreeNode; to: PgnNode<PgnNodeData> }[] = [{ from: root, to: target }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { from, to } = next;
    for (const child of from.children) {
      const data: PgnNodeData = { san: child.san };
      const comments = commentsOf(child);
      if (comments.length > 0) data.comments = comments;
      if (child.introduction.length > 0) data.startingComments = child.introduction;
      if (child.glyphs.length > 0) data.nags = child.glyphs;
      const node = new PgnNode<PgnNodeData>() as ChildNode<PgnNodeData>;
      node.data = data;
      to.children.push(node);
      waiting.push({ from: child, to: node });
    }
  }
}
