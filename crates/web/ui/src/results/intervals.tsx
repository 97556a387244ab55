/** Named values with their intervals, one below the other on a common scale. */

import { Table, figures } from '../shell/table.tsx';

export interface IntervalRow {
  name: string;
  /** `null` if only a bound is known. */
  value: number | null;
  low: number | null;
  high: number | null;
  /** The value with its interval in words. */
  text: string;
  /** Further cells. */
  more?: string[];
}

interface IntervalsProps {
  title: string;
  /** Heading of the values. */
  value: string;
  /** Titles of the further cells. */
  more?: string[];
  rows: IntervalRow[];
  /** Ends of the scale; if left out, those of the values. */
  scale?: [number, number];
}

export function Intervals({ title, value, more = [], rows, scale }: IntervalsProps) {
  if (rows.length === 0) return null;
  const known = rows.flatMap((row) => [row.value, row.low, row.high]).filter((one) => one !== null);
  const [from, to] = scale ?? [Math.min(...known), Math.max(...known)];
  const at = (one: number) => 4 + (192 * (one - from)) / Math.max(to - from, 1e-9);
  return (
    <Table label={title} columns={[{ title }, ...[`${value} (95 %)`].map(figures), { title: `${scaleText(from)} to ${scaleText(to)}` }, ...more.map(figures)]}>
      {rows.map((row) => (
        <tr key={row.name}>
          <th scope="row">{row.name}</th>
          <td class="number">{row.text}</td>
          <td>
            <svg class="interval" viewBox="0 0 200 20" width="160" height="16" role="img" aria-label={row.text}>
              <line class="interval-range" x1={at(row.low ?? from)} x2={at(row.high ?? to)} y1="10" y2="10" />
              {row.value !== null && <circle class="interval-value" cx={at(row.value)} cy="10" r="4" />}
            </svg>
          </td>
          {(row.more ?? []).map((cell, index) => (
            <td key={more[index]} class="number">
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

function scaleText(value: number): string {
  return String(Number(value.toPrecision(4)));
}
