/** Shares of people who play each move by rating, what each move loses, and the trap meter. */

import type { FirstSight, TracedMove } from '../server/types.ts';
import { percentOf } from './numbers.ts';
import { useAnalysis } from './store.tsx';

/** People of one rating. */
export interface Level {
  name: string;
  rating: number | null;
  sight: FirstSight;
}

export interface Row {
  uci: string;
  san: string;
}

/** Parts of the trap meter: a name, and the losses between which a move counts. */
const TRAPS: [string, number, number][] = [
  ['lose <\u00a05', 0, 5],
  ['lose 5–\u206010', 5, 10],
  ['lose 10+', 10, Infinity],
];

interface Props {
  levels: readonly Level[];
  rows: readonly Row[];
  /** Number of empty rows, which keep the place of those to come. */
  awaited: number;
  /** What each move of the search loses. */
  losses: ReadonlyMap<string, number>;
}

export function HumanTable({ levels, rows, awaited, losses }: Props) {
  const { hover } = useAnalysis('point');
  const { move } = useAnalysis('solving');
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="What people play">
      <table class="human-table">
        <thead>
          <tr>
            <th scope="col">% of people rated</th>
            {levels.map((level) => (
              <th key={level.name} scope="col" class="number" title="Share of people of this rating who play the move">
                {level.name}
              </th>
            ))}
            <th scope="col" class="number" title="Points of win percentage lost against the best move of the search">
              loses
            </th>
          </tr>
        </thead>
        <tbody onPointerLeave={() => hover(null)}>
          {Array.from({ length: awaited }, (_, row) => <tr key={row} class="human-awaited"><th scope="row">…</th></tr>)}
          {rows.map(({ uci, san }, row) => (
            <tr key={uci} class={`series-${(row % 6) + 1}`} onPointerEnter={() => hover(uci)}>
              <th scope="row">
                <button type="button" class="move" onClick={() => move(uci)} onFocus={() => hover(uci)} onBlur={() => hover(null)}>
                  {san}
                </button>
              </th>
              {levels.map((level) => (
                <td key={level.name} class="number">
                  {Math.round(100 * shareOf(level, uci))}
                </td>
              ))}
              <td class="number">{losses.get(uci)?.toFixed(1) ?? ''}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {TRAPS.map(([name], part) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {levels.map((level) => (
                <td key={level.name} class="number">
                  {losses.size > 0 ? Math.round(100 * (trapsOf(level, losses)[part] ?? 0)) : ''}
                </td>
              ))}
              <td />
            </tr>
          ))}
        </tfoot>
      </table>
    </div>
  );
}

/** Share of people of a level who play a move. */
export function shareOf(level: Level, uci: string): number {
  return level.sight.moves.find((move) => move.uci === uci)?.prior ?? 0;
}

/** Shares of people of a level who play a move that loses little, more, and much. Moves that were not searched are in none. */
export function trapsOf({ sight }: Level, losses: ReadonlyMap<string, number>): number[] {
  return TRAPS.map(([, least, most]) =>
    sight.moves.reduce((sum, move) => {
      const loss = losses.get(move.uci);
      return loss !== undefined && loss >= least && loss < most ? sum + move.prior : sum;
    }, 0),
  );
}

/** Loss of each visited move against the best one. */
export function lossesOf(traced: readonly TracedMove[]): Map<string, number> {
  const visited = traced.filter((move) => move.visits > 0 && move.wdl);
  const best = visited.reduce((most, move) => Math.max(most, move.wdl ? percentOf(move.wdl) : 0), 0);
  return new Map(visited.map((move) => [move.uci, Math.max(0, best - (move.wdl ? percentOf(move.wdl) : 0))]));
}
