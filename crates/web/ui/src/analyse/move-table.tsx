/** One row a move: visits, value, prior, win/draw/loss, line. Rows keep their place while the pointer is among them. */

import { useRef } from 'preact/hooks';
import type { TracedMove } from '../server/types.ts';
import { percentOf, valueText } from './numbers.ts';
import { SmallWdl } from './wdl-bar.tsx';

interface Props {
  moves: TracedMove[];
  /** The other network's judgement of the same moves. */
  other: TracedMove[] | null;
  /** Rows shown; the rest is behind a button. */
  rows: number;
  onAll: () => void;
  /** Nothing changes any more: the order is the final one. */
  settled: boolean;
  whiteToMove: boolean;
  /** Whose percentages: White's, or the mover's. */
  view: 'white' | 'mover';
  hovered: string | null;
  onHover: (uci: string | null) => void;
  /** Adds the first so many moves of a row's line to the game. */
  onLine: (move: TracedMove, length: number) => void;
  /** Adds a move to those that alone are searched, or takes it out. */
  onOnly: (uci: string) => void;
  /** The moves that alone are searched. */
  only: readonly string[];
  /** Shows a position of a line on a small board. */
  onPreview: (move: TracedMove, length: number) => void;
}

/** The order changes at most this often. */
const ORDER_MS = 500;

export function MoveTable(props: Props) {
  const { moves, other, rows, whiteToMove, view, hovered, onHover } = props;
  const order = useRef<{ ucis: string[]; at: number; fen: string }>({ ucis: [], at: 0, fen: '' });
  const frozen = useRef(false);
  const body = useRef<HTMLTableSectionElement>(null);
  const byUci = new Map(moves.map((move) => [move.uci, move]));
  const now = performance.now();
  const known = order.current.ucis.length === moves.length && order.current.ucis.every((uci) => byUci.has(uci));
  if (!known || (!frozen.current && (props.settled || now - order.current.at > ORDER_MS))) {
    order.current = { ucis: ranked(moves).map((move) => move.uci), at: now, fen: '' };
  }
  const total = moves.reduce((sum, move) => sum + move.visits, 0);
  const others = new Map(other?.map((move) => [move.uci, move]));
  const otherTotal = other?.reduce((sum, move) => sum + move.visits, 0) ?? 0;
  const shown = order.current.ucis.slice(0, rows);
  /** How far the line under the pointer is shown on the small board. */
  const shownLength = useRef({ uci: '', length: 1 });
  const show = (move: TracedMove, length: number) => {
    shownLength.current = { uci: move.uci, length };
    props.onPreview(move, length);
  };
  const walk = (event: WheelEvent, move: TracedMove) => {
    if (event.deltaY === 0 || event.shiftKey || event.ctrlKey) return;
    const known = shownLength.current.uci === move.uci ? shownLength.current.length : 1;
    const next = Math.max(1, Math.min(move.variation_uci.length, known + Math.sign(event.deltaY)));
    if (next === known) return;
    event.preventDefault();
    show(move, next);
  };
  const leave = () => {
    frozen.current = false;
    onHover(null);
  };
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Moves of the search">
      <table class="move-table">
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col" class="number" title="Share of the visits">
              N
            </th>
            <th scope="col" class="number" title={`Win percentage for ${view === 'white' ? 'White' : 'the side to move'}`}>
              win%
            </th>
            <th scope="col" class="number" title="The network's prior">
              P
            </th>
            <th scope="col">W/D/L</th>
            <th scope="col">Line</th>
            <th scope="col">
              <span class="sr-only">Search only these</span>
            </th>
          </tr>
        </thead>
        <tbody
          ref={body}
          onPointerEnter={() => {
            frozen.current = true;
          }}
          onPointerLeave={leave}
          onFocusIn={() => {
            frozen.current = true;
          }}
          onFocusOut={leave}
        >
          {shown.map((uci) => {
            const move = byUci.get(uci);
            if (!move) return null;
            const second = others.get(uci);
            return (
              <tr
                key={uci}
                data-uci={uci}
                data-hovered={hovered === uci || undefined}
                onPointerEnter={() => onHover(uci)}
                onWheel={(event) => walk(event, move)}
              >
                <th scope="row">
                  <button
                    type="button"
                    class="move"
                    onFocus={() => onHover(uci)}
                    onClick={(event) => (event.shiftKey ? props.onOnly(uci) : props.onLine(move, 1))}
                  >
                    {move.san}
                  </button>
                </th>
                <td class="number">
                  <Visits share={total > 0 ? move.visits / total : 0} visits={move.visits} />
                  {second && <Second text={otherTotal > 0 ? shareText(second.visits / otherTotal) : ''} />}
                </td>
                <td class="number">
                  {percentText(move, whiteToMove, view)}
                  {second && <Second text={percentText(second, whiteToMove, view)} />}
                </td>
                <td class="number">
                  {shareText(move.prior)}
                  {second && <Second text={shareText(second.prior)} />}
                </td>
                <td>{move.wdl ? <SmallWdl wdl={move.wdl} /> : null}</td>
                <td class="line">
                  {move.variation_san.slice(1).map((san, index) => (
                    <button
                      key={index}
                      type="button"
                      class="move"
                      onPointerEnter={() => show(move, index + 2)}
                      onFocus={() => show(move, index + 2)}
                      onClick={() => props.onLine(move, index + 2)}
                    >
                      {san}
                    </button>
                  ))}
                </td>
                <td>
                  <button
                    type="button"
                    class="only-button"
                    aria-pressed={props.only.includes(uci)}
                    aria-label={`Search only ${move.san}`}
                    title="Search only this move (Shift-click on it does the same; several may be chosen)"
                    onClick={() => props.onOnly(uci)}
                  >
                    only
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {moves.length > rows && (
        <button type="button" class="link" onClick={props.onAll}>
          all {moves.length} moves
        </button>
      )}
    </div>
  );
}

function Visits({ share, visits }: { share: number; visits: number }) {
  return (
    <span class="visits" title={`${visits.toLocaleString('en')} visits`}>
      <span class="visits-bar" style={{ width: `${(100 * share).toFixed(1)}%` }} />
      <span class="visits-text">{shareText(share)}</span>
    </span>
  );
}

function Second({ text }: { text: string }) {
  return <span class="second">{text}</span>;
}

/** Most visits first; before any visit, the highest prior first. */
function ranked(moves: TracedMove[]): TracedMove[] {
  const visited = moves.some((move) => move.visits > 0);
  return visited ? moves : [...moves].sort((first, second) => second.prior - first.prior);
}

function shareText(share: number): string {
  const percent = 100 * share;
  return `${percent > 0 && percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
}

function percentText(move: TracedMove, whiteToMove: boolean, view: 'white' | 'mover'): string {
  if (!move.wdl) return '';
  const own = percentOf(move.wdl);
  return valueText(move.score, view === 'mover' || whiteToMove ? own : 100 - own);
}
