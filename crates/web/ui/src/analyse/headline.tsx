/** The value of the position in large figures: one block per network, with its colour, its side and its unit. */

import type { ReviewPoint, SearchTrace, Wdl } from '../server/types.ts';
import { useSettings } from '../settings.ts';
import { type Told, type View, divergence, forWhite, nameOf, told, toldText, wholePercents } from './numbers.ts';

interface HeadlineProps {
  trace: SearchTrace | null;
  /** True if a second network was chosen; its value has its place before it arrives. */
  two: boolean;
  other: SearchTrace | null;
  /** The review's entry for the position, while nothing is searched. */
  reviewed: ReviewPoint | null;
  whiteToMove: boolean;
  view: View;
  onView: () => void;
}

export function Headline({ trace, two, other, reviewed, whiteToMove, view, onView }: HeadlineProps) {
  const { unit } = useSettings();
  const side = nameOf(view === 'white' || whiteToMove ? 'white' : 'black');
  const shown = ({ wdl, score }: SearchTrace) => (wdl ? toldText(told(wdl, whiteToMove, view, score), unit) : '');
  const turn = (
    <button type="button" class="link headline-side" title="Percentages for White or for the side to move (w)" onClick={onView}>
      {side}
    </button>
  );
  if (trace?.wdl && two) {
    return (
      <p class="headline figure">
        <span class="headline-block net-a">
          <b>{shown(trace)}</b>
        </span>
        <span class="headline-block net-b">
          <b>{other ? shown(other) : '…'}</b>
        </span>
        {turn}
        {other && (
          <span class="headline-rest">
            {trace.moves[0]?.uci === other.moves[0]?.uci ? 'same move' : 'top move differs'} · KL {divergence(priors(trace), priors(other)).toFixed(2)}
          </span>
        )}
      </p>
    );
  }
  const white = trace?.wdl ? forWhite(trace.wdl, whiteToMove) : reviewed ? wdlOf(reviewed) : null;
  if (!white) return <p class="headline note">Not evaluated</p>;
  const [win, draw, loss] = wholePercents(white);
  return (
    <p class="headline figure">
      <b>{trace ? shown(trace) : reviewed ? toldText(toldOf(reviewed, whiteToMove, view), unit) : ''}</b>
      {turn}
      <span class="headline-rest">
        White {win} · draw {draw} · Black {loss}
        {!trace && ' · review'}
      </span>
    </p>
  );
}

/** The value from a review, in the form that a search reports. */
export function wdlOf(point: ReviewPoint): Wdl {
  const [win = 0, draw = 0, loss = 0] = point.white_wdl;
  return { win, draw, loss };
}

/** The same value from the side that the reader chose. */
export function toldOf(point: ReviewPoint, whiteToMove: boolean, view: View): Told {
  return told(forWhite(wdlOf(point), whiteToMove), whiteToMove, view);
}

function priors(trace: SearchTrace): Map<string, number> {
  return new Map(trace.moves.map((move) => [move.uci, move.prior ?? 0]));
}
