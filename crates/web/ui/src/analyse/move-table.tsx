/**
 * One row per move: visits next to the network's prior, value, win/draw/loss, line. Rows keep their place while the pointer is
 * among them, and rows on which the search disagrees with the first sight are marked. The table has as many rows as fit; "all"
 * in its head shows the others too.
 */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TracedMove } from '../server/types.ts';
import { type ValueUnit, useSettings } from '../settings.ts';
import { type View, numbered, shortText, told, valueText } from './numbers.ts';
import { SmallWdl } from './wdl-bar.tsx';

interface Props {
  /** The position the moves are played from, for the move numbers in their lines. */
  fen: string;
  moves: TracedMove[];
  /** True if a second network was chosen; its figures have their place before they arrive. */
  two: boolean;
  /** The other network's judgement of the same moves. */
  other: TracedMove[] | null;
  /** True if every move has a row. */
  all: boolean;
  onAll: () => void;
  /** True if nothing changes any more and the order is final. */
  settled: boolean;
  whiteToMove: boolean;
  view: View;
  hovered: string | null;
  onHover: (uci: string | null) => void;
  /** Adds the first `length` moves of a row's line to the game. */
  onLine: (move: TracedMove, length: number) => void;
  /** Adds a move to those the search is restricted to, or removes it. */
  onOnly: (uci: string) => void;
  /** The moves the search is restricted to. */
  only: readonly string[];
  /** Shows a position of a line on a small board. */
  onPreview: (move: TracedMove, length: number) => void;
}

/** Shortest time between two changes of the order, in milliseconds. */
const ORDER_MS = 500;
/** Difference between the share of the visits and the prior from which the search has overruled the first sight. */
const OVERRULED = 0.15;
/** Fewer visits in total say little about the opinion of the search. */
const LEAST_VISITS = 50;
/** Heights from the style sheet: the head and a row. Two networks take two lines per row. */
const HEAD = 20;
const ROW = 22;
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

export function MoveTable(props: Props) {
  const { moves, two, other, all, whiteToMove, view, hovered, onHover } = props;
  const { box, rows } = useRoom();
  const { unit } = useSettings();
  const order = useRef<{ ucis: string[]; at: number; fen: string }>({ ucis: [], at: 0, fen: '' });
  const frozen = useRef(false);
  const body = useRef<HTMLTableSectionElement>(null);
  const byUci = new Map(moves.map((move) => [move.uci, move]));
  const now = performance.now();
  const [byDifference, setByDifference] = useState(false);
  const others = new Map(other?.map((move) => [move.uci, move]));
  const difference = (move: TracedMove) => Math.abs((move.prior ?? 0) - (others.get(move.uci)?.prior ?? 0));
  const sorted = byDifference && other ? 'difference' : 'visits';
  const known = order.current.fen === `${props.fen} ${sorted}` && order.current.ucis.length === moves.length && order.current.ucis.every((uci) => byUci.has(uci));
  if (!known || (!frozen.current && (props.settled || now - order.current.at > ORDER_MS))) {
    const inOrder = sorted === 'visits' ? ranked(moves) : [...moves].sort((first, second) => difference(second) - difference(first));
    order.current = { ucis: inOrder.map((move) => move.uci), at: now, fen: `${props.fen} ${sorted}` };
  }
  const total = moves.reduce((sum, move) => sum + move.visits, 0);
  const otherTotal = other?.reduce((sum, move) => sum + move.visits, 0) ?? 0;
  const shown = all ? order.current.ucis : order.current.ucis.slice(0, rows);
  /** Number of moves to which the line under the pointer is shown on the small board. */
  const shownLength = useRef({ uci: '', length: 1 });
  const show = (move: TracedMove, length: number) => {
    shownLength.current = { uci: move.uci, length };
    props.onPreview(move, length);
  };
  const walk = (event: WheelEvent, move: TracedMove) => {
    if (all || event.deltaY === 0 || event.shiftKey || event.ctrlKey) return;
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
    <div class="move-table-box" ref={box} data-all={all || undefined} tabIndex={0} role="region" aria-label="Moves of the search">
      <table class={two ? 'move-table two' : 'move-table'}>
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col" class="number" title="Share of the visits">
              N
            </th>
            <th scope="col" class="number" title="The network's prior: its first sight. ↑ and ↓ mark what the search overruled.">
              {two ? (
                <button type="button" class="sort" aria-pressed={byDifference} title="Sort by the difference between the priors" onClick={() => setByDifference(!byDifference)}>
                  P {byDifference ? '▾' : ''}
                </button>
              ) : (
                'P'
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
              {(all || moves.length > rows) && (
                <button type="button" class="link all-moves" aria-pressed={all} onClick={props.onAll}>
                  {all ? 'fewer' : `all ${moves.length} moves`}
                </button>
              )}
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
                <td class="number" title={`${move.visits.toLocaleString('en')} visits`}>
                  {total > 0 ? shareText(move.visits / total) : ''}
                  {two && <Second text={second && otherTotal > 0 ? shareText(second.visits / otherTotal) : ''} />}
                </td>
                <td class="number prior" title={move.prior === null ? 'The network has no policy' : "The network's first sight"}>
                  <Overruled share={total >= LEAST_VISITS ? move.visits / total : null} prior={move.prior} />
                  {move.prior === null ? '–' : shareText(move.prior)}
                  {two && <Second text={second && second.prior !== null ? shareText(second.prior) : ''} />}
                </td>
                <td class="share-column">
                  <Shares visits={total > 0 ? move.visits / total : 0} prior={move.prior} />
                </td>
                <td class="number">
                  {percentText(move, whiteToMove, view, unit)}
                  {two && <Second text={second ? percentText(second, whiteToMove, view, unit) : ''} />}
                </td>
                <td class="wdl-column">{move.wdl ? <SmallWdl value={told(move.wdl, whiteToMove, view)} /> : null}</td>
                <td class="line">
                  {numbered(move.variation_san, props.fen, '').slice(1).map((san, index) => (
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
    </div>
  );
}

/** The share of the visits as a bar, the prior as a mark on it: where they differ, the search has changed its mind. */
function Shares({ visits, prior }: { visits: number; prior: number | null }) {
  return (
    <span class="share" aria-hidden="true">
      <span class="share-bar visits-bar" style={{ width: `${(100 * visits).toFixed(1)}%` }} />
      {prior !== null && <span class="share-bar prior-bar" style={{ left: `${(100 * prior).toFixed(1)}%` }} />}
    </span>
  );
}

/** A mark for moves on which the search disagrees with the network's policy. */
function Overruled({ share, prior }: { share: number | null; prior: number | null }) {
  if (share === null || prior === null || Math.abs(share - prior) < OVERRULED) return null;
  const up = share > prior;
  return (
    <span class="overruled" data-overruled={up ? 'up' : 'down'} role="img" aria-label={up ? 'found by the search' : 'refuted by the search'}>
      {up ? '↑' : '↓'}
    </span>
  );
}

function Second({ text }: { text: string }) {
  return <span class="second">{text}</span>;
}

/** Most visits first; before any visit, the highest prior first. */
function ranked(moves: TracedMove[]): TracedMove[] {
  const visited = moves.some((move) => move.visits > 0);
  return visited ? moves : [...moves].sort((first, second) => (second.prior ?? 0) - (first.prior ?? 0));
}

function shareText(share: number): string {
  const percent = 100 * share;
  return percent > 0 && percent < 9.95 ? percent.toFixed(1) : String(Math.round(percent));
}

function percentText(move: TracedMove, whiteToMove: boolean, view: View, unit: ValueUnit): string {
  if (!move.wdl) return '';
  const value = told(move.wdl, whiteToMove, view, move.score);
  // `mated in 12` is longer than its column.
  return value.score && 'mate' in value.score ? shortText(value, unit) : valueText(value.score, value.percent, unit);
}
