/** Win, draw and loss beside the board, White's share at White's side. */

import type { Colour, Wdl } from '../server/types.ts';
import { wholePercents } from './numbers.ts';

export function WdlBar({ white, orientation }: { white: Wdl | null; orientation: Colour }) {
  const [win, draw, loss] = white ? wholePercents(white) : [0, 100, 0];
  const shares: [string, number][] = [
    ['black', loss],
    ['draw', draw],
    ['white', win],
  ];
  if (orientation === 'black') shares.reverse();
  return (
    <div
      class="wdl-bar"
      data-empty={white ? undefined : true}
      role="img"
      aria-label={white ? `White ${win} %, draw ${draw} %, Black ${loss} %` : 'Not evaluated'}
    >
      {shares.map(([side, share]) => (
        <span key={side} class={`share-${side}`} style={{ flexGrow: share }} />
      ))}
    </div>
  );
}

/** The same, small and lying, for a row of the table: the mover's wins first. */
export function SmallWdl({ wdl }: { wdl: Wdl }) {
  const [win, draw, loss] = wholePercents(wdl);
  return (
    <span class="small-wdl" role="img" aria-label={`win ${win} %, draw ${draw} %, loss ${loss} %`} title={`${win} / ${draw} / ${loss}`}>
      <span class="share-win" style={{ flexGrow: win }} />
      <span class="share-draw" style={{ flexGrow: draw }} />
      <span class="share-loss" style={{ flexGrow: loss }} />
    </span>
  );
}
