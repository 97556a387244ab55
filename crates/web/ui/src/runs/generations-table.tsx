/** The generations of a self-play run as a table, newest first: it grows with the run's log. */

import type { Drawn } from './chart.tsx';
import { generationsOf } from './generations.ts';

export function Generations({ run, titled }: { run: Drawn; titled: boolean }) {
  const generations = generationsOf(run.curves.train).reverse();
  if (generations.length === 0) return null;
  const title = titled ? `Generations of ${run.name}` : 'Generations';
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Generation</th>
            <th scope="col" class="number">
              Games
            </th>
            <th scope="col" class="number">
              Half-moves
            </th>
            <th scope="col" class="number">
              White / drawn / Black
            </th>
            <th scope="col" class="number">
              Surprise
            </th>
            <th scope="col" class="number">
              Score
            </th>
            <th scope="col" class="number">
              Elo over the start (95 %)
            </th>
          </tr>
        </thead>
        <tbody>
          {generations.map((one) => (
            <tr key={one.number}>
              <th scope="row">{one.number}</th>
              <td class="number">{one.games?.toLocaleString('en')}</td>
              <td class="number">{one.plies?.toFixed(0)}</td>
              <td class="number">{one.results.map(percent).join(' / ')}</td>
              <td class="number">{one.surprise?.toFixed(3)}</td>
              <td class="number">{percent(one.score)}</td>
              <td class="number">{one.elo ? eloText(one.elo) : one.tookOver ? 'takes over' : 'stays behind'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function percent(share: number | null): string {
  return share === null ? '-' : `${(100 * share).toFixed(0)} %`;
}

function eloText({ value, lower, upper }: { value: number; lower: number; upper: number }): string {
  const signed = (elo: number) => `${elo < 0 ? '\u2212' : '+'}${Math.abs(elo).toFixed(0)}`;
  return `${signed(value)} (${signed(lower)} to ${signed(upper)})`;
}
