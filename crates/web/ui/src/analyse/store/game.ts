/** The game on the board and the position shown, with what follows from them alone. */

import { useMemo } from 'preact/hooks';
import type { Route } from '../../route.ts';
import { lineTo, mainLine } from '../tree.ts';
import { useGameTree } from '../use-game-tree.ts';

export type Game = ReturnType<typeof useGame>;

export function useGame({ path: [, id], query }: Route) {
  const { tree, node, changed, problem, missing, setNode, setTree } = useGameTree(id, query);
  const line = useMemo(() => mainLine(tree.root), [tree, changed]);
  const mainMoves = useMemo(() => line.slice(1).map((step) => step.uci), [line]);
  const moves = useMemo(() => lineTo(node), [node]);
  return useMemo(
    () => ({
      id,
      tree,
      node,
      /** Incremented when the tree itself may have changed. */
      changed,
      problem,
      /** True if the server has no game with the name in the address. */
      missing,
      setNode,
      setTree,
      start: tree.root.fen,
      /** The moves to the position shown. */
      moves,
      /** The nodes of the main line, and its moves. */
      line,
      mainMoves,
      whiteToMove: node.fen.split(' ')[1] === 'w',
    }),
    [id, tree, node, changed, problem, missing, setNode],
  );
}
