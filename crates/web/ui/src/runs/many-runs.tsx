/** All runs compared: parallel coordinates, the table, and what can be done with the picked ones. */

import { plural } from '../analyse/numbers.ts';
import type { RunSummary } from '../server/types.ts';
import { Parallel } from './parallel.tsx';
import { RunsTable } from './runs-table.tsx';
import { useManyRuns } from './use-many-runs.ts';

interface Props {
  runs: readonly RunSummary[];
  /** Words that a run's name, its notes or its keys (`network.blocks=10`) must contain. */
  filter: string;
  /** Number of runs whose curves can be drawn together. */
  most: number;
}

export function ManyRuns({ runs, filter, most }: Props) {
  const many = useManyRuns(runs, filter);
  const { rows, total, picked, loaded, clear } = many;
  // Everything at once: each answer may add a column, which would move what is there already.
  if (!loaded) return null;
  const curves = picked.slice(0, most);
  return (
    <>
      <div class="button-row many-runs-row">
        <span class="figure" role="status">
          {rows.length === total ? plural(total, 'run') : `${rows.length} of ${plural(total, 'run')}`}
          {picked.length > 0 && `, ${picked.length} picked`}
        </span>
        {curves.length > 0 && (
          <a class="button" href={`/runs?compare=${encodeURIComponent(curves.join(','))}`}>
            {curves.length < picked.length ? `Curves of the first ${most}` : 'Their curves'}
          </a>
        )}
        {picked.length > 0 && (
          <button type="button" onClick={clear}>
            Pick none
          </button>
        )}
      </div>
      {total > 1 && <Parallel many={many} />}
      <RunsTable many={many} />
    </>
  );
}
