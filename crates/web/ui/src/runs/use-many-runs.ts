/** The store of the comparison of all runs: their rows, and the runs that the reader points at and has picked. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from '../server/request.ts';
import type { RunDetail, RunSummary } from '../server/types.ts';
import { type Row, differingKeys, filtered, rowOf } from './run-rows.ts';

export type ManyRuns = ReturnType<typeof useManyRuns>;

export function useManyRuns(runs: readonly RunSummary[], filter: string) {
  const { details, loaded } = useDetails(runs);
  const [hovered, hover] = useState<string | null>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const all = runs.map((run) => rowOf(run, details.get(run.name)));
  const rows: Row[] = filtered(all, filter);
  const picked = chosen.filter((name) => all.some((row) => row.name === name));
  const toggle = (name: string) => setChosen(picked.includes(name) ? picked.filter((one) => one !== name) : [...picked, name]);
  return { rows, total: all.length, keys: differingKeys(all), loaded, hovered, hover, picked, toggle, clear: () => setChosen([]) };
}

/** The details of all runs, requested again when a run has news. `loaded` is true once all of them have answered. */
function useDetails(runs: readonly RunSummary[]): { details: Map<string, RunDetail>; loaded: boolean } {
  const [details, setDetails] = useState<Map<string, RunDetail>>(new Map());
  const [loaded, setLoaded] = useState(false);
  /** The state in which each run was when its details were requested. */
  const asked = useRef(new Map<string, string>());
  const gone = useRef(false);
  useEffect(
    () => () => {
      gone.current = true;
    },
    [],
  );
  useEffect(() => {
    const load = async (run: RunSummary) => {
      const state = stateOf(run);
      if (asked.current.get(run.name) === state) return;
      asked.current.set(run.name, state);
      // A run that was deleted in the meantime is left out.
      const detail = await get<RunDetail>(`/runs/${encodeURIComponent(run.name)}`).catch(() => null);
      if (gone.current || !detail) return;
      // An answer that was overtaken by news is better than none.
      const latest = asked.current.get(run.name) === state;
      setDetails((known) => (latest || !known.has(run.name) ? new Map(known).set(run.name, detail) : known));
    };
    void Promise.all(runs.map(load)).then(() => !gone.current && setLoaded(true));
  }, [runs.map((run) => `${run.name} ${stateOf(run)}`).join('\n')]);
  return { details, loaded };
}

/** A text that changes when a run has news: its details are then requested again. */
function stateOf(run: RunSummary): string {
  return `${run.status} ${run.log_bytes}`;
}
