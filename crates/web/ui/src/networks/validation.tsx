/** Metrics of a network's last validation: the figures that people compare, beside the score of a guess; the rest folded. */

import { type Column, Table, figures } from '../shell/table.tsx';
import { Fact } from './facts.tsx';

interface Row {
  /** Key in the weights file. */
  key: string;
  name: string;
  /** End of the key of the baseline in the file. */
  baseline: string | null;
  percent: boolean;
}

const ROWS: readonly Row[] = [
  { key: 'policy_loss', name: 'Policy loss, nats', baseline: 'uniform', percent: false },
  { key: 'top1', name: 'Policy top-1', baseline: 'uniform', percent: true },
  { key: 'value_loss', name: 'Value loss, nats', baseline: 'mean', percent: false },
  { key: 'value_error', name: 'Expected score error', baseline: 'mean', percent: true },
  { key: 'calibration_error', name: 'Calibration error', baseline: null, percent: true },
];
const BASELINES: Record<string, string> = { uniform: 'any legal move', mean: 'the mean result' };
const COLUMNS: Column[] = [{ title: 'Held out' }, ...['All', 'Unseen positions', 'A guess'].map(figures)];

export interface ValidationRow {
  name: string;
  all: string;
  unseen: string;
  guess: string;
}

/** The rows that the metrics of a file fill, and the metrics that have no place in them. */
export function validationOf(metrics: readonly (readonly [string, number])[]): { rows: ValidationRow[]; rest: (readonly [string, number])[] } {
  const known = new Map(metrics);
  const used = new Set<string>();
  const take = (key: string, percent: boolean): string => {
    const value = known.get(key);
    if (value === undefined) return '';
    used.add(key);
    return percent ? `${(100 * value).toFixed(1)} %` : value.toFixed(3);
  };
  const rows = ROWS.flatMap(({ key, name, baseline, percent }) => {
    const all = take(key, percent);
    if (!all) return [];
    const guess = baseline === null ? '' : take(`${key}_${baseline}`, percent);
    return [{ name, all, unseen: take(`unseen_${key}`, percent), guess: guess && baseline ? `${guess} (${BASELINES[baseline]})` : '' }];
  });
  return { rows, rest: metrics.filter(([name]) => !used.has(name)) };
}

export function Validation({ metrics }: { metrics: readonly (readonly [string, number])[] }) {
  const { rows, rest } = validationOf(metrics);
  return (
    <>
      {rows.length > 0 && (
        <Table label="Last validation" columns={COLUMNS}>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td class="number">{row.all}</td>
              <td class="number">{row.unseen}</td>
              <td class="number">{row.guess}</td>
            </tr>
          ))}
        </Table>
      )}
      {rest.length > 0 && (
        <details>
          <summary>{rows.length > 0 ? `${rest.length} more figures` : `${rest.length} figures`}</summary>
          <dl class="facts">
            {rest.map(([name, value]) => (
              <Fact key={name} name={name.replaceAll('_', ' ')} text={value.toPrecision(5)} />
            ))}
          </dl>
        </details>
      )}
    </>
  );
}
