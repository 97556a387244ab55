/** The analysis on the board: what the address names, what the server has of it, and every change, which is saved at once. */

import { rename, step } from '../route.ts';
import { Refused, explain, get, getText } from '../server/request.ts';
import type { KeptAnalysis } from '../server/types.ts';
import { gameRow } from './game-row.ts';
import { keepInTab, keptInTab, lastAnalysis, onSavedElsewhere, rememberLast, tellTabs } from './kept.ts';
import { type Shown, addressOf, foundAt, isBare, isBlank, isGame } from './place.ts';
import { type Outcome, newId, noteRevision, onOutcome, save, unsaved } from './saving.ts';
import { type GameTree, type TreeNode, emptyTree, follow, hasWork, lineTo, mainLine, nodeAt, pathTo, playLine, readPgn, writePgn } from './tree.ts';

export class OpenAnalysis {
  shown: Shown;
  problem: string | null = null;
  /** True if the server has nothing with the name in the address. */
  missing = false;
  /** Incremented when the tree itself may have changed. */
  changed = 0;
  /** The revision that the tree is or was changed from. */
  private revision = 0;
  /** The tree as it was read or handed over to be saved; empty if it may not have reached the server. */
  private text = '';
  /** True if the address named nothing, which stands for the last analysis. */
  private bare = false;
  /** The name in the path of the address. */
  private named: string | undefined;
  /** The position in an address of a game. */
  private ply = Number.NaN;
  /** True until the server has answered what the tree is; changes made before are not saved, because they are of another one. */
  private awaited = false;
  private closed = false;

  constructor(
    gameId: string | undefined,
    query: URLSearchParams,
    private readonly draw: () => void,
  ) {
    this.shown = this.find(gameId, query);
  }

  /** Shows what another address names. */
  show(gameId: string | undefined, query: URLSearchParams): void {
    this.shown = this.find(gameId, query);
    this.draw();
  }

  private find(gameId: string | undefined, query: URLSearchParams): Shown {
    this.problem = null;
    this.missing = false;
    this.changed += 1;
    this.bare = isBare(gameId, query);
    const last = this.bare && !keptInTab() ? lastAnalysis() : null;
    const id = last ? last.pathname.split('/')[2] : gameId;
    this.named = this.bare ? undefined : id;
    this.ply = Number.parseInt((last ?? location).hash.slice(1), 10);
    const { shown, revision, saved } = foundAt(id, last?.searchParams ?? query, (problem) => {
      this.problem = problem;
    });
    this.revision = revision;
    this.text = saved ? writePgn(shown.tree) : '';
    this.awaited = shown.id !== null && revision === 0 && saved;
    return shown;
  }

  /** Asks the server, and follows it and the other tabs until the returned function is called. */
  follow(): () => void {
    this.closed = false;
    const { id, tree } = this.shown;
    if (!isBlank(tree)) {
      if (this.bare) rename(addressOf(this.shown));
      this.remember();
    }
    if (id !== null) void this.load(id);
    const stops = [
      onOutcome((outcome) => this.hear(outcome)),
      onSavedElsewhere((saved, revision) => {
        if (saved === this.shown.id && revision > this.revision) void this.load(saved);
      }),
    ];
    return () => {
      this.closed = true;
      for (const stop of stops) stop();
    };
  }

  readonly setNode = (node: TreeNode): void => this.change({ ...this.shown, node }, false);

  /** Begins another analysis; Back returns to this one. */
  readonly setTree = (tree: GameTree): void => {
    const before = this.shown.tree;
    this.text = '';
    this.revision = 0;
    this.awaited = false;
    this.change({ tree, node: tree.root, id: null }, !isBlank(before));
  };

  private change(next: Shown, back: boolean): void {
    this.problem = null;
    this.missing = false;
    this.changed += 1;
    this.shown = next;
    const pgn = writePgn(next.tree);
    if (!this.awaited) {
      if (pgn !== this.text && (next.id !== null || hasWork(next.tree))) this.save(pgn);
      this.text = pgn;
    }
    (back ? step : rename)(addressOf(this.shown));
    this.remember(pgn);
    this.draw();
  }

  /** Hands the tree over to be saved, under a new name if it has none. */
  private save(pgn: string): void {
    const { tree, node, id } = this.shown;
    const name = id ?? newId();
    this.shown = { tree, node, id: name };
    const { players, result } = gameRow(tree, 0, null);
    save(name, { pgn, path: pathTo(node), title: { players, result, plies: mainLine(tree.root).length - 1, fen: node.fen } });
  }

  private async load(id: string): Promise<void> {
    const isOld = () => this.closed || this.shown.id !== id;
    try {
      const [kept, game] = await Promise.all([get<KeptAnalysis | null>(`/analyses/${encodeURIComponent(id)}`), isGame(id) ? gameTree(id) : null]);
      if (!isOld()) this.take(id, kept, game);
    } catch (error) {
      if (isOld()) return;
      this.awaited = false;
      this.problem = explain(error);
      this.draw();
    }
  }

  /** Takes what the server has of an analysis: the kept tree, and the game if it is that of a game, which may have continued. */
  private take(id: string, kept: KeptAnalysis | null, game: GameTree | null): void {
    this.awaited = false;
    // What was changed here is on its way; the answer will say whether another page changed it as well.
    if (unsaved(id)) return;
    const { tree: before, node } = this.shown;
    if (this.text === '') {
      this.text = writePgn(before);
      return this.save(this.text);
    }
    if (!kept && !game) return this.lose(id);
    const revision = kept?.summary.revision ?? 0;
    const newer = kept && revision > this.revision ? readPgn(kept.pgn).games[0] : undefined;
    let tree = newer ?? (kept ? before : (game ?? before));
    if (kept && game) {
      playLine(tree.root, lineTo(mainLine(game.root).at(-1) ?? game.root));
      tree = { root: tree.root, headers: game.headers };
    }
    const text = writePgn(tree);
    if (text === this.text && hasWork(before)) return;
    this.shown = { tree, node: this.placeIn(tree, before, node, kept), id };
    this.text = text;
    this.revision = revision;
    noteRevision(id, revision);
    this.changed += 1;
    if (this.bare || !isGame(id)) rename(addressOf(this.shown));
    this.remember(text);
    this.draw();
  }

  /** The position to show: the one that was shown, else that of the address, else the one at which the analysis was left. */
  private placeIn(tree: GameTree, before: GameTree, node: TreeNode, kept: KeptAnalysis | null): TreeNode {
    if (hasWork(before)) return nodeAt(tree.root, lineTo(node));
    return mainLine(tree.root)[this.ply] ?? (kept ? follow(tree, kept.path) : tree.root);
  }

  /** Nothing has this name: it was deleted, or is on another server. What the address names stays. */
  private lose(id: string): void {
    if (id === this.named) this.missing = true;
    else if (isBlank(this.shown.tree) && !this.bare) this.problem = `There is no analysis ${id} any more.`;
    this.shown = { ...this.shown, id: null };
    if (!isBlank(this.shown.tree)) this.remember();
    this.draw();
  }

  private hear(outcome: Outcome): void {
    if (outcome.kind === 'saved') tellTabs(outcome.id, outcome.revision);
    if (outcome.id !== this.shown.id) return;
    if (outcome.kind === 'saved') {
      this.revision = outcome.revision;
      return this.remember();
    }
    if (outcome.kind === 'refused') this.problem = outcome.problem;
    else {
      this.shown = { ...this.shown, id: outcome.copy };
      this.revision = 0;
      this.problem = 'Another page has changed this analysis; what is on this board is kept as a new one.';
      rename(addressOf(this.shown));
      this.remember();
    }
    this.draw();
  }

  private remember(pgn: string = writePgn(this.shown.tree)): void {
    const { tree, node, id } = this.shown;
    const saved = this.text === pgn && (id === null || unsaved(id) === undefined);
    keepInTab({ id, revision: this.revision, saved, pgn, path: pathTo(node) });
    if (!isBlank(tree)) rememberLast(addressOf(this.shown));
  }
}

/** A game played on the page; null if there is none with this name. */
async function gameTree(id: string): Promise<GameTree | null> {
  try {
    return readPgn(await getText(`/games/${encodeURIComponent(id)}/pgn`)).games[0] ?? emptyTree();
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  }
}
