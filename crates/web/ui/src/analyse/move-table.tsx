/**
 * One row per move: visits next to the network's prior, value, win/draw/loss, line. Rows keep their place while the pointer is
 * among them, and rows on which the search disagrees with the first sight are marked. The table has as many rows as fit; "all"
 * in its head shows the others too.
 */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SearchTrace, TracedMove } from '../server/types.ts';
import { useSettings } from '../settings.ts';
import { useOrder } from './move-order.ts';
import { MoveRow, useShownLine } from './move-row.tsx';
import { useAnalysis } from './store.tsx';

/** Heights from the style sheet: the head and a row. Two networks take two lines per row. */
const HEAD = 20;
const ROW = 24;
const LEAST_ROWS = 6;

/** Number of whole rows that fit in the table's place. */
function useRoom() {
  const box = useRef<HTMLDivElement>(null);
  const [rows, setRows] = useState(LEAST_ROWS);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const measure = () => setRows(Math.max(LEAST_ROWS, Math.floor((element.clientHeight - HEAD + 1) / ROW)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { box, rows };
}

export function MoveTable({ trace }: { trace: SearchTrace }) {
  const { all } = useAnalysis('choices');
  const { second } = useAnalysis('engine');
  const { other, kept, view } = useAnalysis('search');
  const { selected } = useAnalysis('pointed');
  const { leave } = useAnalysis('point');
  const { box, rows } = useRoom();
  const line = useShownLine();
  const frozen = useRef(false);
  const [byDifference, setByDifference] = useState(false);
  const ofPiece = selected ? trace.moves.filter((one) => one.uci.startsWith(selected)) : [];
  const moves = ofPiece.length > 0 ? ofPiece : trace.moves;
  const byUci = new Map(moves.map((move) => [move.uci, move]));
  const others = new Map(other?.moves.map((move) => [move.uci, move]));
  const settled = kept !== null || view?.stage !== 'running';
  const order = useOrder(moves, byDifference && other ? others : null, settled, frozen);
  const visits = { total: visitsOf(moves), other: visitsOf(other?.moves ?? []) };
  const freeze = () => {
    frozen.current = true;
  };
  const thaw = () => {
    frozen.current = false;
    leave();
  };
  return (
    <div class="move-table-box" ref={box} data-all={all || undefined} tabIndex={0} role="region" aria-label="Moves of the search">
      <table class={second === null ? 'move-table' : 'move-table two'}>
        <Head count={moves.length} room={rows} byDifference={byDifference} onSort={() => setByDifference(!byDifference)} />
        <tbody onPointerEnter={freeze} onPointerLeave={thaw} onFocusIn={freeze} onFocusOut={thaw}>
          {(all ? order : order.slice(0, rows)).map((uci) => {
            const move = byUci.get(uci);
            return move && <MoveRow key={uci} move={move} other={others.get(uci)} visits={visits} line={line} />;
          })}
        </tbody>
      </table>
    </div>
  );
}

function visitsOf(moves: readonly TracedMove[]): number {
  return moves.reduce((sum, move) => sum + move.visits, 0);
}

interface HeadProps {
  /** Number of moves, and of rows that there is room for. */
  count: number;
  room: number;
  /** True if the rows are sorted by the difference between the networks. */
  byDifference: boolean;
  onSort: () => void;
}

function Head({ count, room, byDifference, onSort }: HeadProps) {
  const { all, view, choose } = useAnalysis('choices');
  const { second } = useAnalysis('engine');
  const { unit } = useSettings();
  return (
    <thead>
      <tr>
        <th scope="col">Move</th>
        <th scope="col" class="number" title="Share of the visits">
          N
        </th>
        <th scope="col" class="number" title="The network's prior, before the search. ↑ and ↓ mark moves that the search overruled.">
          {second === null ? (
            'P'
          ) : (
            <button type="button" class="sort" aria-pressed={byDifference} title="Sort by the difference between the priors" onClick={onSort}>
              P {byDifference ? '▾' : ''}
            </button>
          )}
        </th>
        <th scope="col" class="share-column">
          <span class="sr-only">Visits as a bar, the prior as a mark</span>
        </th>
        <th scope="col" class="number" title={`${unit === 'pawns' ? 'Equivalent in pawns' : 'Win percentage'} for ${view === 'white' ? 'White' : 'the side to move'}`}>
          {unit === 'pawns' ? 'pawns' : 'win%'}
        </th>
        <th scope="col" class="wdl-column">
          W/D/L
        </th>
        <th scope="col">
          Line
          {(all || count > room) && (
            <button type="button" class="link all-moves" aria-pressed={all} onClick={() => choose({ all: !all })}>
              {all ? 'fewer' : `all ${count} moves`}
            </button>
          )}
        </th>
      </tr>
    </thead>
  );
}
