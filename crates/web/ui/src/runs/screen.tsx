/** Training runs with live curves, one or several overlaid. The page only reads them. */

import { useMemo, useState } from 'preact/hooks';
import type { ScreenProps } from '../app.tsx';
import { currentRoute, go } from '../route.ts';
import type { RunSummary } from '../server/types.ts';
import { CopyCommand } from '../shell/copy-command.tsx';
import { Missing } from '../shell/missing.tsx';
import { useTitle } from '../shell/title.ts';
import { Charts } from './charts.tsx';
import { useRuns } from './curves-store.ts';
import { ManyRuns } from './many-runs.tsx';
import { RunEntry } from './run-entry.tsx';
import { useChartChoices } from './use-chart-choices.ts';
import '../../styles/runs.css';

/** Maximum number of runs in one chart: as many as there are colours and dash patterns. */
const MOST_RUNS = 6;

export function RunsScreen({ route }: ScreenProps) {
  const { runs, problem } = useRuns();
  const compared = useMemo(() => route.query.get('compare')?.split(',').filter(Boolean).slice(0, MOST_RUNS) ?? [], [route]);
  const asTable = route.query.has('table');
  const table = asTable && !route.path[1];
  const names = compared.length > 0 ? compared : [route.path[1] ?? (table ? undefined : runs?.[0]?.name)].filter((name) => name !== undefined);
  const chosen = names.flatMap((name) => runs?.find((one) => one.name === name) ?? []);
  const choices = useChartChoices(route);
  const [filter, setFilter] = useState('');
  useTitle(names.length > 0 ? `${names.join(', ')} · Runs` : 'Runs');
  const missing = names.find((name) => runs && !runs.some((one) => one.name === name));
  if (runs && missing && (route.path[1] || compared.length > 0)) {
    return <Missing what={`run ${missing}`} list={{ href: '/runs', text: 'All runs' }} />;
  }
  return (
    <main class="runs-page">
      <div class="runs-list">
        <h1>Runs</h1>
        {problem && <p class="problem">{problem}</p>}
        {runs && (runs.length > 6 || (table && runs.length > 1)) && (
          <label class="inline-field">
            <span>Filter</span>
            <input type="search" value={filter} placeholder={table ? 'name, note or key=value' : undefined} onInput={(event) => setFilter(event.currentTarget.value)} />
          </label>
        )}
        <RunEntries runs={runs ?? []} filter={table ? '' : filter} names={names} />
        {runs && runs.length > 1 && <p class="note">Tick several to overlay them.</p>}
        {runs && runs.length > 1 && (
          <a class="button" href={asTable ? '/runs' : '/runs?table=1'}>
            {asTable ? 'Charts' : 'All as a table'}
          </a>
        )}
      </div>
      <div class="runs-charts">
        {runs?.length === 0 && (
          <div class="empty">
            <h2>No runs yet</h2>
            <p>Start a training, and its curves appear here while it trains.</p>
            <CopyCommand text="tabiya train recipes/first --data games.store" />
          </div>
        )}
        {table && runs && runs.length > 0 && <ManyRuns runs={runs} filter={filter} most={MOST_RUNS} />}
        <Charts names={names} chosen={chosen} choices={choices} />
      </div>
    </main>
  );
}

/** The runs whose names fit the filter, each with a tick that puts it in the charts. */
function RunEntries({ runs, filter, names }: { runs: readonly RunSummary[]; filter: string; names: string[] }) {
  const toggle = (name: string) => {
    const next = names.includes(name) ? names.filter((one) => one !== name) : [...names, name].slice(-MOST_RUNS);
    if (next.length === 1) return go(`/runs/${encodeURIComponent(next[0] as string)}${currentSearch()}`);
    if (next.length > 1) go(`/runs${currentSearch(next)}`);
  };
  return (
    <ul>
      {runs
        .filter((one) => one.name.toLowerCase().includes(filter.toLowerCase()))
        .map((one) => (
          <RunEntry key={one.name} run={one} chosen={names.includes(one.name)} onToggle={toggle} />
        ))}
    </ul>
  );
}

/** The choices in the address, with other runs to compare. */
function currentSearch(compare: string[] = []): string {
  const { query } = currentRoute();
  query.delete('compare');
  if (compare.length > 0) query.set('compare', compare.join(','));
  return query.size > 0 ? `?${query}` : '';
}
