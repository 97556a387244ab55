/** The generations of a self-play run as a table, newest first: it grows with the run's log. */

import { type Column, Table, figures } from '../shell/table.tsx';
import type { Drawn } from './columns.ts';
import { generationsOf } from './generations.ts';

const COLUMNS: Column[] = [
  { title: 'Generation' },
  figures('Games'),
  figures('Half-moves'),
  figures('White / drawn / Black'),
  figures('Surprise'),
  figures('Score'),
  figures('Elo over the start (95 %)'),
];

export function Generations({ run, titled }: { run: Drawn; titled: boolean }) {
  const generations = generationsOf(run.curves.train).reverse();
  if (generations.length === 0) return null;
  return (
    <Table label={titled ? `Generations of ${run.name}` : 'Generations'} columns={COLUMNS} captioned>
      {generations.map((one) => (
        <tr key={one.number}>
          <th scope="row">{one.number}</th>
          <td class="number">{one.games?.toLocaleString('en')}</td>
          <td class="number">{one.plies?.toFixed(0)}</td>
          <td class="number">{one.results.map(percent).join(' / ')}</td>
          <td class="number">{one.surprise?.toFixed(3)}</td>
          <td class="number">{percent(one.score)}</td>
          <td class="number">{one.elo ? eloText(one.elo) : one.tookOver ? 'promoted' : 'rejected'}</td>
        </tr>
      ))}
    </Table>
  );
}

function percent(share: number | null): string {
  return share === null ? '-' : `${(100 * share).toFixed(0)} %`;
}

function eloText({ value, lower, upper }: { value: number; lower: number; upper: number }): string {
  const signed = (elo: number) => `${elo < 0 ? '\u2212' : '+'}${Math.abs(elo).toFixed(0)}`;
  return `${signed(value)} (${signed(lower)} to ${signed(upper)})`;
}
