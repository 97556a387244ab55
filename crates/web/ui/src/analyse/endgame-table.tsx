/** The legal moves of a position in the endgame tables, the best first: result, distance and reason. A click plays the move. */

import type { EndgameMove, EndgameView } from '../server/types.ts';
import { OUTCOMES, distanceText, reasonText, verdictText } from './endgame-words.ts';
import { valueText } from './numbers.ts';
import { useAnalysis } from './store.tsx';

interface Props {
  view: EndgameView;
  whiteToMove: boolean;
  /** True if the rows still belong to the previous position. */
  stale: boolean;
}

export function EndgameTable({ view, whiteToMove, stale }: Props) {
  const { hover } = useAnalysis('point');
  const proven = useMates();
  // The search is about the position on the board, rows that are not yet replaced are about another one.
  const mates = stale ? NO_MATES : proven;
  const anyMate = view.moves.some(({ uci }) => mates.has(uci));
  return (
    <div class="endgames" data-stale={stale || undefined}>
      <p class="endgame-verdict">{verdictText(view.moves[0], whiteToMove)}</p>
      {view.moves.length > 0 && (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Moves in the endgame tables">
          <table class="endgame-table">
            <thead>
              <tr>
                <th scope="col">Move</th>
                <th scope="col">Result</th>
                <th scope="col" class="number" title="Half-moves to the next capture, pawn move or mate with best play, this move included (DTZ)">
                  half-moves
                </th>
                {anyMate && (
                  <th scope="col" title="Proven by the search that runs or ran here">
                    mate
                  </th>
                )}
                <th scope="col">
                  <span class="sr-only">Reason</span>
                </th>
              </tr>
            </thead>
            <tbody onPointerLeave={() => hover(null)}>
              {view.moves.map((move) => (
                <Row key={move.uci} move={move} view={view} mate={anyMate ? (mates.get(move.uci) ?? '') : null} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="note">
        Half-moves to the next capture, pawn move or mate with best play (DTZ), this move included. The counter of the fifty-move rule stands at {view.halfmoves} of 100. The tables know no
        repetitions.
      </p>
    </div>
  );
}

interface RowProps {
  move: EndgameMove;
  view: EndgameView;
  /** The mate that a search has proven; null if the table has no such column. */
  mate: string | null;
}

function Row({ move, view, mate }: RowProps) {
  const { hover } = useAnalysis('point');
  const { move: play } = useAnalysis('solving');
  const { text, title } = OUTCOMES[move.outcome];
  return (
    <tr onPointerEnter={() => hover(move.uci)}>
      <th scope="row">
        <button type="button" class="move" onClick={() => play(move.uci)} onFocus={() => hover(move.uci)} onBlur={() => hover(null)}>
          {move.san}
        </button>
      </th>
      <td class="endgame-outcome" data-outcome={move.outcome} title={title}>
        {text}
      </td>
      <td class="number">{distanceText(move)}</td>
      {mate !== null && <td>{mate}</td>}
      <td class="endgame-reason">{reasonText(move, view)}</td>
    </tr>
  );
}

const NO_MATES: ReadonlyMap<string, string> = new Map();

/** The mates that the search of the position shown has proven, by move, for the side to move. */
function useMates(): ReadonlyMap<string, string> {
  const { trace } = useAnalysis('search');
  const found = trace?.moves.flatMap(({ uci, score }) => (score && 'mate' in score ? [[uci, valueText(score, null)] as const] : []));
  return new Map(found);
}
