/** The game on the analysis board: from the address, from the server's games, or as this browser left it. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { positionOf } from '../chess/position.ts';
import { currentRoute, rename } from '../route.ts';
import { Refused, explain, getText } from '../server/request.ts';
import { type GameTree, type TreeNode, emptyTree, follow, lineTo, mainLine, pathTo, playLine, readPgn, writePgn } from './tree.ts';

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

const KEY = 'tabiya.analysis';

/** A longer line of moves is stored in the browser instead of in the address. */
const LONGEST_ADDRESS = 1800;

interface State {
  tree: GameTree;
  node: TreeNode;
}

export function useGameTree(gameId: string | undefined, query: URLSearchParams) {
  const [problem, setProblem] = useState<string | null>(null);
  const [missing, setMissing] = useState(false);
  const [{ tree, node }, set] = useState<State>(() => initial(query, gameId !== undefined, setProblem));
  const [changed, setChanged] = useState(0);
  const asked = query.toString();
  const first = useRef(true);

  useEffect(() => {
    if (!gameId) return;
    getText(`/games/${gameId}/pgn`).then(
      (pgn) => {
        const [game] = readPgn(pgn).games;
        if (!game) return setProblem(`Game ${gameId} has no moves to show.`);
        const ply = Number.parseInt(currentRoute().hash, 10);
        set({ tree: game, node: mainLine(game.root)[ply] ?? game.root });
      },
      (error: unknown) => {
        if (error instanceof Refused && error.status === 404) setMissing(true);
        else setProblem(explain(error));
      },
    );
  }, [gameId]);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    // An address that the user navigated to names another position; one that this screen wrote does not come here.
    if (!gameId) set(initial(query, false, setProblem));
  }, [asked]);

  const setters = useMemo(() => {
    const keep = (next: State) => {
      setProblem(null);
      set(next);
      setChanged((count) => count + 1);
      if (gameId) return rename(`/analyse/${gameId}${location.search}#${next.node.ply}`);
      sessionStorage.setItem(KEY, JSON.stringify({ pgn: writePgn(next.tree), path: pathTo(next.node) }));
      rename(addressOf(next));
    };
    return {
      setNode: (next: TreeNode) => keep({ tree, node: next }),
      setTree: (next: GameTree) => keep({ tree: next, node: next.root }),
    };
  }, [tree, gameId]);
  return {
    tree,
    node,
    problem,
    /** True if the server has no game with the name in the address. */
    missing,
    /** Incremented when the tree itself may have changed. */
    changed,
    ...setters,
  };
}

function initial(query: URLSearchParams, stored: boolean, complain: (problem: string) => void): State {
  const fen = query.get('fen');
  const moves = query.get('moves')?.split(',').filter(Boolean) ?? [];
  const asked = Number.parseInt(query.get('ply') ?? '', 10);
  const ply = Number.isNaN(asked) ? null : asked;
  const judged = fen ? positionOf(fen) : null;
  if (judged && 'problem' in judged) complain(judged.problem);
  const usable = judged && 'position' in judged ? (fen ?? undefined) : undefined;
  if (!stored) {
    const kept = fromSession();
    const line = kept ? lineThrough(kept.node).join(',') : '';
    const same = kept && (usable ?? emptyTree().root.fen) === kept.tree.root.fen && line === moves.join(',') && (ply ?? moves.length) === kept.node.ply;
    // The address names the position this tab left, so its variations are kept; one without a position means the last.
    if (kept && (same || (!fen && moves.length === 0))) return kept;
  }
  const tree = emptyTree(usable);
  for (const [header, key] of CARRIED) {
    const text = query.get(key);
    if (text) tree.headers.set(header, text);
  }
  const node = playLine(tree.root, moves);
  if (node.ply < moves.length) complain(`The address names the move "${moves[node.ply]}" after ${node.ply}; it is not legal there. The moves before it are on the board.`);
  return { tree, node: (ply === null ? null : mainLine(tree.root)[ply]) ?? node };
}

function fromSession(): State | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as { pgn: string; path: number[] } | null;
    const tree = kept && readPgn(kept.pgn).games[0];
    return kept && tree ? { tree, node: follow(tree, kept.path) } : null;
  } catch {
    return null;
  }
}

function addressOf({ tree, node }: State): string {
  const query = new URLSearchParams(location.search);
  for (const name of ['fen', 'moves', 'ply', 'result', ...CARRIED.map(([, key]) => key)]) query.delete(name);
  if (tree.root.fen !== emptyTree().root.fen) query.set('fen', tree.root.fen);
  // The whole line, so that a link leads to the game and not to its beginning; the ply on the board is written separately.
  const line = lineThrough(node);
  const text = line.join(',');
  if (text && text.length < LONGEST_ADDRESS) {
    query.set('moves', text);
    if (node.ply < line.length) query.set('ply', String(node.ply));
    for (const [header, key] of CARRIED) {
      const text = tree.headers.get(header) ?? '';
      if (!UNKNOWN.has(text)) query.set(key, text);
    }
  }
  const written = query.toString();
  return written ? `/analyse?${written}` : '/analyse';
}

/** The moves to a node and then along its main continuation. */
function lineThrough(node: TreeNode): string[] {
  let end = node;
  while (end.children[0]) end = end.children[0];
  return lineTo(end);
}
