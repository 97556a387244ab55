/** Training runs with live curves, one or several overlaid. The page only reads them. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ScreenProps } from '../app.tsx';
import { currentRoute, go, rename } from '../route.ts';
import { get } from '../server/request.ts';
import { plural } from '../analyse/numbers.ts';
import type { Curves, RunDetail, RunSummary, SelfPlayView } from '../server/types.ts';
import { CopyCommand } from '../shell/copy-command.tsx';
import { Missing } from '../shell/missing.tsx';
import { saveText } from '../shell/save.ts';
import { Segments } from '../shell/segments.tsx';
import { useTitle } from '../shell/title.ts';
import { type Axis, Chart, type Drawn, troubleOf, valueText } from './chart.tsx';
import { lastOf } from './line-ends.ts';
import { useCurves, useRuns } from './curves-store.ts';
import { Generations } from './generations-table.tsx';
import { LatestGame } from './latest-game.tsx';
import { LayersPanel } from './layers-panel.tsx';
import { Learning } from './learning.tsx';
import { METRICS, type Metric } from './metrics.ts';
import { keysOf } from './recipe-keys.ts';
import { RunEntry } from './run-entry.tsx';
import { RunNotes } from './run-notes.tsx';
import { RunState } from './run-state.tsx';
import { RunsTable } from './runs-table.tsx';

/** Maximum number of runs in one chart: as many as there are colours and dash patterns. */
const MOST_RUNS = 6;
/** Arguments besides recipe and name with which a command resumes a run; a command not listed here starts over. */
const RESUME: Record<string, string> = { train: ' --resume', selfplay: '' };
const AXES: Axis[] = ['step', 'positions', 'time'];

export function RunsScreen({ route }: ScreenProps) {
  const { runs, problem } = useRuns();
  const compared = useMemo(() => route.query.get('compare')?.split(',').filter(Boolean).slice(0, MOST_RUNS) ?? [], [route]);
  const table = route.query.has('table') && !route.path[1];
  const names = compared.length > 0 ? compared : [route.path[1] ?? (table ? undefined : runs?.[0]?.name)].filter((name) => name !== undefined);
  const chosen = names.flatMap((name) => runs?.find((one) => one.name === name) ?? []);
  const { curves, problem: curvesProblem } = useCurves(chosen);
  const [smoothing, setSmoothing] = useState(() => Number(route.query.get('smooth') ?? 0.6) || 0);
  const [logarithmic, setLogarithmic] = useState(route.query.has('log'));
  const [axis, setAxis] = useState<Axis>(() => AXES.find((one) => one === route.query.get('x')) ?? 'step');
  const [filter, setFilter] = useState('');
  /** The run for which it is known whether there are boards to watch it learn. */
  const [probed, setProbed] = useState('');
  useTitle(names.length > 0 ? `${names.join(', ')} · Runs` : 'Runs');
  useEffect(() => {
    const query = new URLSearchParams(location.search);
    const set = (name: string, value: string, usual: string) => (value === usual ? query.delete(name) : query.set(name, value));
    set('smooth', String(smoothing), '0.6');
    set('x', axis, 'step');
    set('log', logarithmic ? '1' : '', '');
    rename(location.pathname + (query.size > 0 ? `?${query}` : ''));
  }, [smoothing, axis, logarithmic, route]);
  const missing = names.find((name) => runs && !runs.some((one) => one.name === name));
  if (runs && missing && (route.path[1] || compared.length > 0)) {
    return <Missing what={`run ${missing}`} list={{ href: '/runs', text: 'All runs' }} />;
  }
  const drawn: Drawn[] = chosen.flatMap((run) => {
    const known = curves.get(run.name);
    return known ? [{ name: run.name, curves: known, batch: run.batch }] : [];
  });
  const [run] = chosen;
  const toggle = (name: string) => {
    const next = names.includes(name) ? names.filter((one) => one !== name) : [...names, name].slice(-MOST_RUNS);
    if (next.length === 1) return go(`/runs/${encodeURIComponent(next[0] as string)}${currentSearch()}`);
    if (next.length > 1) go(`/runs${currentSearch(next)}`);
  };
  const troubles = METRICS.flatMap((metric) => drawn.flatMap((one) => troubleOf(metric, one) ?? []));
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
        <ul>
          {runs
            ?.filter((one) => table || one.name.toLowerCase().includes(filter.toLowerCase()))
            .map((one) => (
              <RunEntry key={one.name} run={one} chosen={names.includes(one.name)} onToggle={toggle} />
            ))}
        </ul>
        {runs && runs.length > 1 && <p class="note">Tick several to overlay them.</p>}
        {runs && runs.length > 1 && (
          <a class="button" href={route.query.has('table') ? '/runs' : '/runs?table=1'}>
            {route.query.has('table') ? 'Charts' : 'All as a table'}
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
        {table && runs && <RunsTable runs={runs} filter={filter} />}
        {run && (
          <>
            <h2>{names.join(', ')}</h2>
            {chosen.length === 1 && <Headline run={run} />}
            <div class="button-row">
              <label class="inline-field">
                <span>Smoothing</span>
                <input type="range" min={0} max={0.99} step={0.01} value={smoothing} onInput={(event) => setSmoothing(Number(event.currentTarget.value))} />
                <span class="figure">{smoothing.toFixed(2)}</span>
              </label>
              <Segments
                label="Horizontal axis"
                hideLabel={true}
                options={[
                  ['step', 'Steps'],
                  ['positions', 'Positions'],
                  ['time', 'Time'],
                ]}
                value={axis}
                onChange={setAxis}
              />
              <button type="button" aria-pressed={logarithmic} onClick={() => setLogarithmic(!logarithmic)}>
                Logarithmic
              </button>
              <button type="button" disabled={drawn.length === 0} onClick={() => saveText(`${names.join('+')}.csv`, csvOf(drawn), 'text/csv')}>
                CSV
              </button>
            </div>
          </>
        )}
        {curvesProblem && <p class="problem">{curvesProblem}</p>}
        {troubles.map((trouble) => (
          <p key={trouble} class="problem">
            {trouble}
          </p>
        ))}
        {run?.status === 'silent' && chosen.length === 1 && (
          <p class="note">
            No update for minutes: the run has stopped or was ended, {run.self_play ? `in generation ${run.self_play.generation}` : `at step ${run.step.toLocaleString('en')}`}.
            {run.command in RESUME && !run.problem && (
              <>
                {' '}
                To go on: <CopyCommand text={`tabiya ${run.command} RECIPE --name ${run.name}${RESUME[run.command]}`} />
              </>
            )}
          </p>
        )}
        {drawn.length > 0 && (
          <>
            {chosen.length === 1 && run?.self_play && <LatestGame name={run.name} play={run.self_play} />}
            {drawn.map((one) => (
              <Generations key={one.name} run={one} titled={drawn.length > 1} />
            ))}
            <div class="charts">
              {METRICS.filter((metric) => drawn.some((one) => has(one.curves, metric))).map((metric) => (
                <Chart key={metric.name} metric={metric} runs={drawn} smoothing={smoothing} logarithmic={logarithmic} axis={axis} />
              ))}
            </div>
            <LayersPanel runs={drawn} axis={axis} />
            <Bests runs={drawn} />
          </>
        )}
        {/* From top to bottom, so that nothing pushes away what is already there. */}
        {chosen.length === 1 && run && drawn.length > 0 && <Learning name={run.name} version={run.log_bytes} onKnown={() => setProbed(run.name)} />}
        {chosen.length === 1 && run && (probed === run.name || curvesProblem) && <RunFacts name={run.name} status={run.status} />}
        {chosen.length > 1 && <Differences names={names} />}
      </div>
    </main>
  );
}

/** The choices in the address, with other runs to compare. */
function currentSearch(compare: string[] = []): string {
  const { query } = currentRoute();
  query.delete('compare');
  if (compare.length > 0) query.set('compare', compare.join(','));
  return query.size > 0 ? `?${query}` : '';
}

function Headline({ run }: { run: RunSummary }) {
  const left = run.steps !== null && run.batch !== null && run.positions_per_second ? ((run.steps - run.step) * run.batch) / run.positions_per_second / 60 : null;
  return (
    <p class="figure run-headline">
      <RunState run={run} /> ·{' '}
      {run.self_play ? <SelfPlayState play={run.self_play} learned={run.step} /> : <>step {run.step.toLocaleString('en')}</>}
      {run.steps !== null && !run.self_play && <> of {run.steps.toLocaleString('en')}</>}
      {run.positions_per_second !== null && <> · {Math.round(run.positions_per_second).toLocaleString('en')} positions/s</>}
      {run.status === 'running' && left !== null && <> · about {left >= 90 ? `${(left / 60).toFixed(1)} hours` : plural(Math.ceil(left), 'minute')} left</>}
    </p>
  );
}

/** Progress of a self-play run before its log has a line. */
function SelfPlayState({ play, learned }: { play: SelfPlayView; learned: number }) {
  const { generation, games, games_an_hour: rate } = play;
  return (
    <>
      generation {generation}: {plural(games, 'game')}
      {rate !== null && <> · {Math.round(rate).toLocaleString('en')} games an hour</>} · {plural(learned, 'generation')} learned
    </>
  );
}

function has(curves: Curves, metric: Metric): boolean {
  const inTrain = metric.train !== undefined && metric.train in curves.train.values;
  return inTrain || (metric.heldOut !== undefined && metric.heldOut in curves.held_out.values);
}

/** Best and last held-out value of each run and metric, with the step of the best: the charts as a table. */
function Bests({ runs }: { runs: Drawn[] }) {
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

function RunFacts({ name, status }: { name: string; status: string }) {
  const [detail, setDetail] = useState<RunDetail | null>(null);
  useEffect(() => {
    get<RunDetail>(`/runs/${encodeURIComponent(name)}`).then(setDetail, () => setDetail(null));
  }, [name, status]);
  if (!detail) return null;
  return (
    <>
      <RunNotes detail={detail} />
      {detail.recipe && (
        <details>
          <summary>The resolved recipe</summary>
          <pre class="mono" tabIndex={0}>
            {detail.recipe}
          </pre>
        </details>
      )}
    </>
  );
}

/** The lines in which the recipes differ. */
function Differences({ names }: { names: string[] }) {
  const [recipes, setRecipes] = useState<Map<string, string>>(new Map());
  useEffect(() => {
    for (const name of names) {
      get<RunDetail>(`/runs/${encodeURIComponent(name)}`).then(
        (detail) => setRecipes((known) => new Map(known).set(name, detail.recipe)),
        () => undefined,
      );
    }
  }, [names.join(' ')]);
  const tables = names.map((name) => keysOf(recipes.get(name) ?? ''));
  const keys = [...new Set(tables.flatMap((table) => [...table.keys()]))].filter((key) => new Set(tables.map((table) => table.get(key))).size > 1);
  if (keys.length === 0) return <p class="note">The recipes are the same.</p>;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="How the recipes differ">
      <table>
        <thead>
          <tr>
            <th scope="col">Recipe</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              {tables.map((table, index) => (
                <td key={names[index]} class="wrap">
                  {table.get(key) ?? ''}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Every number in the logs, one row per line of a log. */
function csvOf(runs: readonly Drawn[]): string {
  const rows: string[] = [];
  for (const { name: run, curves } of runs) {
    for (const [kind, series] of [['train', curves.train], ['held_out', curves.held_out], ['layers', curves.layers]] as const) {
      const names = Object.keys(series.values);
      rows.push(['run', 'kind', 'step', ...names].join(','));
      for (const [index, step] of series.step.entries()) {
        rows.push([run, kind, step, ...names.map((name) => series.values[name]?.[index] ?? '')].join(','));
      }
    }
  }
  return `${rows.join('\n')}\n`;
}
