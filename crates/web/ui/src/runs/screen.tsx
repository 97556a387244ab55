/** Training runs with live curves. The page only reads them. */

import { useEffect, useState } from 'preact/hooks';
import type { ScreenProps } from '../app.tsx';
import { get } from '../server/request.ts';
import type { Curves, RunDetail, RunSummary } from '../server/types.ts';
import { Missing } from '../shell/missing.tsx';
import { useTitle } from '../shell/title.ts';
import { Chart } from './chart.tsx';
import { useCurves, useRuns } from './curves-store.ts';
import { METRICS } from './metrics.ts';

export function RunsScreen({ route }: ScreenProps) {
  const { runs, problem } = useRuns();
  const name = route.path[1] ?? runs?.[0]?.name;
  const run = runs?.find((one) => one.name === name);
  const { curves, problem: curvesProblem } = useCurves(run);
  const [smoothing, setSmoothing] = useState(0.6);
  const [logarithmic, setLogarithmic] = useState(false);
  useTitle(name ? `${name} · Runs` : 'Runs');
  if (runs && route.path[1] && !run) {
    return <Missing what={`run ${route.path[1]}`} list={{ href: '/runs', text: 'All runs' }} />;
  }
  return (
    <main class="runs-page">
      <div class="runs-list">
        <h1>Runs</h1>
        {problem && <p class="problem">{problem}</p>}
        {runs?.length === 0 && (
          <p>
            No runs yet. <code>tabiya train recipes/first --data games.store</code> and the curves appear here while it trains.
          </p>
        )}
        <ul>
          {runs?.map((one) => (
            <li key={one.name}>
              <a href={`/runs/${encodeURIComponent(one.name)}`} aria-current={one.name === name ? 'page' : undefined}>
                <b>{one.name}</b>
                <RunState run={one} />
              </a>
            </li>
          ))}
        </ul>
      </div>
      <div class="runs-charts">
        {run && (
          <>
            <h2>{run.name}</h2>
            <p class="figure run-headline">
              <RunState run={run} /> step {run.step.toLocaleString('en')}
              {run.steps !== null && <> of {run.steps.toLocaleString('en')}</>}
              {run.positions_per_second !== null && <> · {Math.round(run.positions_per_second).toLocaleString('en')} positions/s</>}
            </p>
            <div class="button-row">
              <label class="inline-field">
                <span>Smoothing</span>
                <input
                  type="range"
                  min={0}
                  max={0.99}
                  step={0.01}
                  value={smoothing}
                  onInput={(event) => setSmoothing(Number(event.currentTarget.value))}
                />
                <span class="figure">{smoothing.toFixed(2)}</span>
              </label>
              <button type="button" aria-pressed={logarithmic} onClick={() => setLogarithmic(!logarithmic)}>
                Logarithmic
              </button>
              <button type="button" disabled={!curves} onClick={() => curves && save(run.name, csvOf(curves))}>
                CSV
              </button>
            </div>
          </>
        )}
        {curvesProblem && <p class="problem">{curvesProblem}</p>}
        {run?.status === 'silent' && (
          <p class="note">
            No news for minutes: it has stopped or was ended. To go on: <code>tabiya train RECIPE --name {run.name} --resume</code>
          </p>
        )}
        {curves && (
          <div class="charts">
            {METRICS.filter((metric) => has(curves, metric)).map((metric) => (
              <Chart key={metric.name} metric={metric} curves={curves} smoothing={smoothing} logarithmic={logarithmic} />
            ))}
          </div>
        )}
        {run && <RunFacts name={run.name} status={run.status} />}
      </div>
    </main>
  );
}

function has(curves: Curves, metric: (typeof METRICS)[number]): boolean {
  const inTrain = metric.train !== undefined && metric.train in curves.train.values;
  return inTrain || (metric.heldOut !== undefined && metric.heldOut in curves.held_out.values);
}

function RunState({ run }: { run: RunSummary }) {
  const share = run.steps ? `${Math.floor((100 * run.step) / run.steps)} %` : '';
  const text = { running: `training ${share}`, done: 'done', silent: `stopped ${share}` }[run.status];
  return (
    <span class="run-state" data-status={run.status}>
      {text}
    </span>
  );
}

function RunFacts({ name, status }: { name: string; status: string }) {
  const [detail, setDetail] = useState<RunDetail | null>(null);
  useEffect(() => {
    get<RunDetail>(`/runs/${encodeURIComponent(name)}`).then(setDetail, () => setDetail(null));
  }, [name, status]);
  if (!detail?.recipe) return null;
  return (
    <details>
      <summary>The resolved recipe</summary>
      <pre class="mono" tabIndex={0}>
        {detail.recipe}
      </pre>
    </details>
  );
}

/** Every number of the log, one row a line of it. */
function csvOf(curves: Curves): string {
  const rows: string[] = [];
  for (const [kind, series] of [['train', curves.train], ['held_out', curves.held_out]] as const) {
    const names = Object.keys(series.values);
    rows.push(['kind', 'step', ...names].join(','));
    for (const [index, step] of series.step.entries()) {
      rows.push([kind, step, ...names.map((name) => series.values[name]?.[index] ?? '')].join(','));
    }
  }
  return `${rows.join('\n')}\n`;
}

function save(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

