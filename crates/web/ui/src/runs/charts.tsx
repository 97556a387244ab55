/** The charts of the chosen runs, what the runs are doing, and how they differ. */

import { useState } from 'preact/hooks';
import type { RunSummary } from '../server/types.ts';
import { saveText } from '../shell/save.ts';
import { Segments } from '../shell/segments.tsx';
import { Bests } from './bests-table.tsx';
import { Chart } from './chart.tsx';
import { type Drawn, troubleOf } from './columns.ts';
import { useCurves } from './curves-store.ts';
import { Generations } from './generations-table.tsx';
import { LatestGame } from './latest-game.tsx';
import { LayersPanel } from './layers-panel.tsx';
import { Learning } from './learning.tsx';
import { METRICS, isLogged } from './metrics.ts';
import { Differences, RunFacts } from './recipes.tsx';
import { Headline, Silent } from './run-headline.tsx';
import { useArrangement } from './use-arrangement.ts';
import type { ChartChoices } from './use-chart-choices.ts';

export function Charts({ names, chosen, choices }: { names: string[]; chosen: RunSummary[]; choices: ChartChoices }) {
  const { curves, problem } = useCurves(chosen);
  /** The run for which it is known whether there are boards to watch it learn. */
  const [probed, setProbed] = useState('');
  const drawn: Drawn[] = chosen.flatMap((run) => {
    const known = curves.get(run.name);
    return known ? [{ name: run.name, curves: known, batch: run.batch }] : [];
  });
  const troubles = METRICS.flatMap((metric) => drawn.flatMap((one) => troubleOf(metric, one) ?? []));
  const [run] = chosen;
  /** Most is said only of a run by itself. */
  const only = chosen.length === 1 ? run : undefined;
  /** From top to bottom, so that nothing pushes away what is already there: the boards are above the charts. */
  const below = (!only || probed === only.name) && drawn.length > 0;
  return (
    <>
      {run && (
        <>
          <h2>{names.join(', ')}</h2>
          {only && <Headline run={only} />}
        </>
      )}
      {problem && <p class="problem">{problem}</p>}
      {troubles.map((trouble) => (
        <p key={trouble} class="problem">
          {trouble}
        </p>
      ))}
      {only?.status === 'silent' && <Silent run={only} />}
      {only && <Learning key={only.name} name={only.name} version={only.log_bytes} onKnown={() => setProbed(only.name)} />}
      {below && (
        <>
          {only?.self_play && <LatestGame name={only.name} play={only.self_play} />}
          {drawn.map((one) => (
            <Generations key={one.name} run={one} titled={drawn.length > 1} />
          ))}
          <AllCharts choices={choices} names={names} drawn={drawn} />
          <LayersPanel runs={drawn} axis={choices.axis} />
          <Bests runs={drawn} />
        </>
      )}
      {only && (below || problem) && <RunFacts name={only.name} status={only.status} />}
      {chosen.length > 1 && <Differences names={names} />}
    </>
  );
}

interface ChartsProps {
  choices: ChartChoices;
  names: readonly string[];
  drawn: Drawn[];
}

/** One chart for each metric that the logs have, in the reader's order. */
function AllCharts({ choices, names, drawn }: ChartsProps) {
  const { metrics, toolsOf, reset } = useArrangement((metric) => drawn.some((one) => isLogged(one.curves, metric)));
  return (
    <>
      <Controls choices={choices} names={names} drawn={drawn} onReset={reset} />
      <div class="charts">
        {metrics.map((metric) => (
          <Chart key={metric.name} metric={metric} runs={drawn} smoothing={choices.smoothing} logarithmic={choices.logarithmic} axis={choices.axis} tools={toolsOf(metric)} />
        ))}
      </div>
    </>
  );
}

/** `onReset` is null while the charts stand in their usual order. */
function Controls({ choices, names, drawn, onReset }: ChartsProps & { onReset: (() => void) | null }) {
  const { smoothing, setSmoothing, axis, setAxis, logarithmic, setLogarithmic } = choices;
  return (
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
      <button type="button" onClick={() => saveText(`${names.join('+')}.csv`, csvOf(drawn), 'text/csv')}>
        CSV
      </button>
      {onReset && (
        <button type="button" onClick={onReset}>
          Usual order
        </button>
      )}
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
