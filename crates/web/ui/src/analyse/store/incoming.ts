/** Games that come in while the board is open: dropped or pasted on it, or named by the address as a result's. */

import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { explain, getText } from '../../server/request.ts';
import { onPasted } from '../paste.ts';
import { LONGEST_TEXT, readAnything } from '../read.ts';
import { useDrop } from '../use-drop.ts';
import type { Choices } from './choices.ts';
import type { Game } from './game.ts';

/** A text with one good game goes onto the board; any other opens the import dialog. */
export function useIncoming(query: URLSearchParams, { setTree }: Game, { choose }: Choices) {
  const [problem, setProblem] = useState<string | null>(null);
  const take = useCallback(
    (text: string) => {
      const found = readAnything(text);
      const [one] = found.games;
      if (one && found.games.length === 1 && found.faults.length === 0 && !found.problem) return setTree(one);
      choose({ dialog: 'import', given: text });
    },
    [setTree],
  );
  const { over: dropping, problem: dropProblem } = useDrop({ onText: take }, LONGEST_TEXT);
  useLayoutEffect(() => onPasted(take), [take]);
  const result = query.get('result');
  useEffect(() => {
    if (!result) return;
    getText(`/results/${encodeURIComponent(result)}/pgn`).then(take, (error: unknown) => setProblem(explain(error)));
  }, [result]);
  return useMemo(() => ({ dropping, problem: problem ?? dropProblem }), [dropping, problem, dropProblem]);
}
