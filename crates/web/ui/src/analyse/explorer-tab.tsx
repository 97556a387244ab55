/** The tab "Openings": the endgame tables where they know the position, and the games that were played elsewhere. */

import { useEffect, useState } from 'preact/hooks';
import { explain, get } from '../server/request.ts';
import type { EndgameView } from '../server/types.ts';
import { EndgameTable } from './endgame-table.tsx';
import { MOST_PIECES, pieceCount } from './endgame-words.ts';
import { OpeningsTab } from './openings-tab.tsx';
import { useAnalysis } from './store.tsx';

export function ExplorerTab() {
  const { fen } = useAnalysis('game').node;
  const { quiet } = useAnalysis('solving');
  const few = pieceCount(fen) <= MOST_PIECES && !quiet;
  const { answer, problem } = useEndgame(few ? fen : null);
  if (answer && answer.view.problem === null) {
    return <EndgameTable view={answer.view} whiteToMove={answer.fen.split(' ')[1] === 'w'} stale={answer.fen !== fen} />;
  }
  return (
    <>
      {problem && <p class="problem">{problem}</p>}
      {answer && <Missing view={answer.view} />}
      <OpeningsTab />
    </>
  );
}

/** Why a position of few pieces has no moves from the endgame tables. */
function Missing({ view: { pieces, problem } }: { view: EndgameView }) {
  if (pieces > 0) return <p class="note endgame-missing">Endgame tables: {problem}.</p>;
  return (
    <p class="note endgame-missing">
      With Syzygy endgame tables every move here would have its result: <code>tabiya play --option SyzygyPath=FOLDER</code>
    </p>
  );
}

interface Answer {
  /** The position that was asked about. */
  fen: string;
  view: EndgameView;
}

/** The newest answer of the tables, which may still be about the previous position; nothing while `fen` is null. */
function useEndgame(fen: string | null): { answer: Answer | null; problem: string | null } {
  const [state, setState] = useState<{ answer: Answer | null; problem: string | null }>({ answer: null, problem: null });
  useEffect(() => {
    if (fen === null) {
      setState({ answer: null, problem: null });
      return undefined;
    }
    let replaced = false;
    get<EndgameView>(`/endgames?${new URLSearchParams({ fen })}`).then(
      (view) => {
        if (!replaced) setState({ answer: { fen, view }, problem: null });
      },
      (error: unknown) => {
        if (!replaced) setState({ answer: null, problem: explain(error) });
      },
    );
    return () => {
      replaced = true;
    };
  }, [fen]);
  return fen === null ? { answer: null, problem: null } : state;
}
