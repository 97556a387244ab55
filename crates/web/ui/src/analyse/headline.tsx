/** The value of the position in large figures: one block per network, with its colour, its side and its unit. */

import type { SearchTrace } from '../server/types.ts';
import { useSettings } from '../settings.ts';
import { divergence, forWhite, nameOf, told, toldOf, toldText, wdlOf, wholePercents } from './numbers.ts';
import { useAnalysis } from './store.tsx';

export function Headline() {
  const { whiteToMove } = useAnalysis('game');
  const { view, turnView } = useAnalysis('choices');
  const { second } = useAnalysis('engine');
  const { trace, other } = useAnalysis('search');
  const { reviewed } = useAnalysis('review');
  const { quiet } = useAnalysis('solving');
  const { unit } = useSettings();
  if (quiet) return <p class="headline note">hidden</p>;
  const side = nameOf(view === 'white' || whiteToMove ? 'white' : 'black');
  const shown = ({ wdl, score }: SearchTrace) => (wdl ? toldText(told(wdl, whiteToMove, view, score), unit) : '');
  const turn = (
    <button type="button" class="link headline-side" title="Percentages for White or for the side to move (w)" onClick={turnView}>
      {side}
    </button>
  );
  // The second network's value has its place before it arrives.
  if (trace?.wdl && second !== null) {
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
          <span class="headline-rest" title="KL divergence of the two policies in nats; 0 if they are equal">
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

function priors(trace: SearchTrace): Map<string, number> {
  return new Map(trace.moves.map((move) => [move.uci, move.prior ?? 0]));
}
