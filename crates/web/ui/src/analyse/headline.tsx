/** The value of the position in large figures: one block a network, with its colour, its side and its unit. */

import type { ReviewPoint, SearchTrace, Wdl } from '../server/types.ts';
import { useSettings } from '../settings.ts';
import { divergence, forWhite, percentOf, valueText, wholePercents } from './numbers.ts';

interface HeadlineProps {
  trace: SearchTrace | null;
  other: SearchTrace | null;
  /** What a review says of the position, where nothing is searched. */
  reviewed: ReviewPoint | null;
  whiteToMove: boolean;
  view: 'white' | 'mover';
  onView: () => void;
}

export function Headline({ trace, other, reviewed, whiteToMove, view, onView }: HeadlineProps) {
  const { unit } = useSettings();
  const side = view === 'white' || whiteToMove ? 'White' : 'Black';
  const shown = (one: SearchTrace) => {
    if (!one.wdl) return '';
    const own = percentOf(one.wdl);
    const mover = view === 'mover' || whiteToMove;
    return withUnit(valueText(one.score, mover ? own : 100 - own, unit));
  };
  const turn = (
    <button type="button" class="link headline-side" title="Whose percentage: White's or the mover's (w)" onClick={onView}>
      {side}
    </button>
  );
  if (trace?.wdl && other?.wdl) {
    return (
      <p class="headline figure">
        <span class="headline-block net-a">
          <b>{shown(trace)}</b>
        </span>
        <span class="headline-block net-b">
          <b>{shown(other)}</b>
        </span>
        {turn}
        <span class="headline-rest">
          {trace.moves[0]?.uci === other.moves[0]?.uci ? 'same move' : 'top move differs'} · KL {divergence(priors(trace), priors(other)).toFixed(2)}
        </span>
      </p>
    );
  }
  const white = trace?.wdl ? forWhite(trace.wdl, whiteToMove) : reviewed ? wdlOf(reviewed) : null;
  if (!white) return <p class="headline note">Not evaluated</p>;
  const [win, draw, loss] = wholePercents(white);
  const fromReview = (point: ReviewPoint) => withUnit(valueText(null, side === 'White' ? point.white_percent : 100 - point.white_percent, unit));
  return (
    <p class="headline figure">
      <b>{trace ? shown(trace) : reviewed ? fromReview(reviewed) : ''}</b>
      {turn}
      <span class="headline-rest">
        White {win} · draw {draw} · Black {loss}
        {!trace && ' · review'}
      </span>
    </p>
  );
}

/** What a review says, as a search says it. */
export function wdlOf(point: ReviewPoint): Wdl {
  const [win = 0, draw = 0, loss = 0] = point.white_wdl;
  return { win, draw, loss };
}

function withUnit(text: string): string {
  return /^[\d.]+$/.test(text) ? `${text} %` : text;
}

function priors(trace: SearchTrace): Map<string, number> {
  return new Map(trace.moves.map((move) => [move.uci, move.prior]));
}
