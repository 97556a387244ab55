/** A row of the table of moves, and its line, which the small board shows. */

import { useRef } from 'preact/hooks';
import type { TracedMove } from '../server/types.ts';
import { type ValueUnit, useSettings } from '../settings.ts';
import { type View, columnPawns, numbered, shortText, told, valueText } from './numbers.ts';
import { useAnalysis } from './store.tsx';
import { playLine } from './tree.ts';
import { SmallWdl } from './wdl-bar.tsx';

/** Difference between the share of the visits and the prior from which the search has overruled the first sight. */
const OVERRULED = 0.15;
/** Fewer visits in total say little about the opinion of the search. */
const LEAST_VISITS = 50;

interface Props {
  move: TracedMove;
  /** The second network's judgement of the same move. */
  other: TracedMove | undefined;
  /** Visits of all moves together, with each network. */
  visits: { total: number; other: number };
  line: ReturnType<typeof useShownLine>;
}

export function MoveRow({ move, other, visits: { total, other: otherTotal }, line }: Props) {
  const { node, setNode, whiteToMove } = useAnalysis('game');
  const { view } = useAnalysis('choices');
  const { second, only, toggleOnly } = useAnalysis('engine');
  const { hovered } = useAnalysis('pointed');
  const { hover } = useAnalysis('point');
  const { unit } = useSettings();
  const { uci, san, prior, wdl } = move;
  const two = second !== null;
  const share = total > 0 ? move.visits / total : null;
  /** Adds the first `length` moves of the line to the game. */
  const play = (length: number) => setNode(playLine(node, move.variation_uci.slice(0, length)));
  return (
    <tr data-uci={uci} data-hovered={hovered === uci || undefined} onPointerEnter={() => hover(uci)} onWheel={(event) => line.walk(event, move)}>
      <th scope="row">
        <button type="button" class="move" onFocus={() => hover(uci)} onClick={(event) => (event.shiftKey ? toggleOnly(uci) : play(1))}>
          {san}
        </button>
      </th>
      <td class="number" title={`${move.visits.toLocaleString('en')} visits`}>
        {share === null ? '' : shareText(share)}
        {two && <Second text={other && otherTotal > 0 ? shareText(other.visits / otherTotal) : ''} />}
      </td>
      <td class="number prior" title={prior === null ? 'The network has no policy' : "The network's first sight"}>
        <Overruled share={total >= LEAST_VISITS ? share : null} prior={prior} />
        {prior === null ? '–' : shareText(prior)}
        {two && <Second text={other && other.prior !== null ? shareText(other.prior) : ''} />}
      </td>
      <td class="share-column">
        <Shares visits={share ?? 0} prior={prior} />
      </td>
      <td class="number">
        {percentText(move, whiteToMove, view, unit)}
        {two && <Second text={other ? percentText(other, whiteToMove, view, unit) : ''} />}
      </td>
      <td class="wdl-column">{wdl && <SmallWdl value={told(wdl, whiteToMove, view)} />}</td>
      <td class="line">
        <div class="line-moves">
          {numbered(move.variation_san, node.fen, '').slice(1).map((text, index) => (
            <button
              key={index}
              type="button"
              class="move"
              onPointerEnter={() => line.show(move, index + 2)}
              onFocus={() => line.show(move, index + 2)}
              onClick={() => play(index + 2)}
            >
              {text}
            </button>
          ))}
        </div>
        <button
          type="button"
          class="only-button"
          aria-pressed={only.includes(uci)}
          aria-label={`Search only ${san}`}
          title="Search only this move (Shift-click on it does the same; several may be chosen)"
          onClick={() => toggleOnly(uci)}
        >
          only
        </button>
      </td>
    </tr>
  );
}

/** The line on the small board, of one row at a time: shown to a length, or walked with the wheel. */
export function useShownLine() {
  const { all } = useAnalysis('choices');
  const point = useAnalysis('point');
  const shown = useRef({ uci: '', length: 1 });
  const show = (move: TracedMove, length: number) => {
    shown.current = { uci: move.uci, length };
    point.show(move, length);
  };
  const walk = (event: WheelEvent, move: TracedMove) => {
    // A table with every move scrolls.
    if (all || event.deltaY === 0 || event.shiftKey || event.ctrlKey) return;
    const known = shown.current.uci === move.uci ? shown.current.length : 1;
    const next = Math.max(1, Math.min(move.variation_uci.length, known + Math.sign(event.deltaY)));
    if (next === known) return;
    event.preventDefault();
    show(move, next);
  };
  return { show, walk };
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

function shareText(share: number): string {
  const percent = 100 * share;
  return percent > 0 && percent < 9.95 ? percent.toFixed(1) : String(Math.round(percent));
}

function percentText(move: TracedMove, whiteToMove: boolean, view: View, unit: ValueUnit): string {
  if (!move.wdl) return '';
  const value = told(move.wdl, whiteToMove, view, move.score);
  // `mated in 12` is longer than its column.
  if (value.score && 'mate' in value.score) return shortText(value, unit);
  return unit === 'pawns' ? columnPawns(value.percent) : valueText(value.score, value.percent);
}
