/** Best and last held-out value of each run and metric, with the step of the best: the charts as a table. */

import type { Drawn } from './columns.ts';
import { lastOf } from './line-ends.ts';
import { METRICS, valueText } from './metrics.ts';

export function Bests({ runs }: { runs: Drawn[] }) {
  const metrics = METRICS.filter((metric) => metric.heldOut && runs.some((run) => (metric.heldOut as string) in run.curves.held_out.values));
  if (metrics.length === 0) return null;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Held-out values">
      <table class="bests-table">
        <thead>
          <tr>
            <th scope="col">Held out</th>
            {runs.map((run) => (
              <th key={run.name} scope="col" class="number" colSpan={2}>
                {run.name}: best (step), last
              </th>
            ))}
            <th scope="col" class="number">
              Baseline
            </th>
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => (
            <tr key={metric.name}>
              <th scope="row">{metric.name}</th>
              {runs.map((run) => {
                const values = run.curves.held_out.values[metric.heldOut as string] ?? [];
                const best = bestOf(values, metric.percent ?? false);
                return [
                  <td key={`${run.name} best`} class="number">
                    {best === null ? '' : `${valueText(metric, values[best] ?? null)} (${run.curves.held_out.step[best]?.toLocaleString('en')})`}
                  </td>,
                  <td key={`${run.name} last`} class="number">
                    {valueText(metric, lastOf(values))}
                  </td>,
                ];
              })}
              <td class="number">{valueText(metric, runs.map((run) => lastOf((metric.baseline && run.curves.held_out.values[metric.baseline]) || [])).find((value) => value !== null) ?? null)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Index of the best value: the highest share, or the lowest of anything else. */
function bestOf(values: readonly (number | null)[], higher: boolean): number | null {
  let best: number | null = null;
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const known = best === null ? null : (values[best] as number);
    if (known === null || (higher ? value > known : value < known)) best = index;
  }
  return best;
}
