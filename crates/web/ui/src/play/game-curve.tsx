/** White's chances over a finished game, from its review. Loaded at the end of a game: until then nobody waits for it. */

import { useEffect } from 'preact/hooks';
import { Graph, valuesOf } from '../analyse/graph.tsx';
import { useReview } from '../analyse/use-review.ts';
import type { Station } from '../chess/position.ts';
import type { GameView } from '../server/types.ts';

export interface CurveProps {
  id: string;
  view: GameView;
  stations: Station[];
  ply: number;
  /** True if this page saw the game being played: looking at an old game does not start any work. */
  watched: boolean;
  onChoose: (ply: number) => void;
}

export function GameCurve({ id, view, stations, ply, watched, onChoose }: CurveProps) {
  const moves = view.moves.map((move) => move.uci);
  const { review, start } = useReview(view.start_fen, moves);
  useEffect(() => {
    if (watched) void start({});
  }, [id]);
  return (
    <>
      <div class="graph-panel">
        <Graph
          values={valuesOf(review?.points ?? [], moves.length + 1)}
          ply={ply}
          moveName={(at) => (at === 0 ? 'Start' : `${Math.ceil(at / 2)}${at % 2 ? '.' : '...'} ${stations[at]?.san ?? ''}`)}
          onChoose={onChoose}
        />
        {!review && <p class="graph-empty note">A review draws White's chances over the game here.</p>}
      </div>
      <p class="note figure">
        {review?.white && review.black && `Accuracy: White ${review.white.accuracy?.toFixed(0) ?? '-'} %, Black ${review.black.accuracy?.toFixed(0) ?? '-'} % (${review.nodes} nodes a position)`}
      </p>
    </>
  );
}
