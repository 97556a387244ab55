/** Win, draw and loss beside the board, White's share at White's side. */

import type { Colour, Wdl } from '../server/types.ts';
import { type Told, nameOf, wholePercents } from './numbers.ts';

export function WdlBar({ white, orientation }: { white: Wdl | null; orientation: Colour }) {
  const [win, draw, loss] = white ? wholePercents(white) : [0, 100, 0];
  const shares: [string, number][] = [
    ['black', loss],
    ['draw', draw],
    ['white', win],
  ];
  if (orientation === 'black') shares.reverse();
  // Transforms move the shares without a new layout, which would count as a layout shift.
  let above = 0;
  const placed = shares.map(([side, share]) => {
    const style = { transform: `translateY(${above}%) scaleY(${share / 100})` };
    above += share;
    return { side, style };
  });
  return (
    <div
      class="wdl-bar"
      data-empty={white ? undefined : true}
      role="img"
      aria-label={white ? `White ${win} %, draw ${draw} %, Black ${loss} %` : 'Not evaluated'}
    >
      {placed.map(({ side, style }) => (
        <span key={side} class={`share-${side}`} style={style} />
      ))}
    </div>
  );
}

/** A small horizontal bar. The side whose value is shown comes first; a colour stands for a side, as at the board. */
export function SmallWdl({ value }: { value: Told }) {
  const [win, draw, loss] = wholePercents(value.wdl);
  const [own, other] = value.side === 'white' ? (['white', 'black'] as const) : (['black', 'white'] as const);
  const text = `${nameOf(own)} ${win} %, draw ${draw} %, ${nameOf(other)} ${loss} %`;
  return (
    <span class="small-wdl" role="img" aria-label={text} title={text}>
      <span class={`share-${own}`} style={{ flexGrow: win }} />
      <span class="share-draw" style={{ flexGrow: draw }} />
      <span class={`share-${other}`} style={{ flexGrow: loss }} />
    </span>
  );
}
