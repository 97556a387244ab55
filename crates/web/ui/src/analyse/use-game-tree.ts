/** The game on the analysis board, as a state of the screen. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { OpenAnalysis } from './open-analysis.ts';

export function useGameTree(gameId: string | undefined, query: URLSearchParams) {
  const [, draw] = useState(0);
  const [open] = useState(() => new OpenAnalysis(gameId, query, () => draw((count) => count + 1)));
  const first = useRef(true);
  // Every address that the reader goes to has a query of its own, also an equal one; those that this screen writes have none.
  useLayoutEffect(() => {
    if (!first.current) open.show(gameId, query);
    first.current = false;
    return open.follow();
  }, [gameId, query]);
  const { shown, problem, missing, changed, setNode, setTree } = open;
  return { tree: shown.tree, node: shown.node, problem, missing, changed, setNode, setTree };
}
