/** All runs, and the curves of several of them, kept up to date from the server. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import { explain, get } from '../server/request.ts';
import type { Curves, RunSummary, Series } from '../server/types.ts';

/** All runs, newest first, updated whenever one changes. */
export function useRuns(): { runs: RunSummary[] | null; problem: string | null } {
  const [runs, setRuns] = useState<RunSummary[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    get<RunSummary[]>('/runs').then(setRuns, (error: unknown) => setProblem(explain(error)));
    return live.listen('runs', (data) => {
      if (!data || typeof data !== 'object') return;
      if ('refused' in data) setProblem(explain(data.refused));
      if ('runs' in data) {
        setRuns(data.runs as RunSummary[]);
        setProblem(null);
      }
    });
  }, []);
  return { runs, problem };
}

/** The curves of several runs, kept up to date: new values are requested whenever a run's log has grown. */
export function useCurves(runs: readonly RunSummary[]): { curves: Map<string, Curves>; problem: string | null } {
  const [curves, setCurves] = useState<Map<string, Curves>>(new Map());
  const [problem, setProblem] = useState<string | null>(null);
  const known = useRef(new Map<string, Curves>());
  const state = runs.map((run) => `${run.name} ${run.log_bytes} ${run.modified}`).join('\n');
  useEffect(() => {
    // If a run changes again in the meantime, the next effect continues from what is known by then.
    let replaced = false;
    const loadAll = async () => {
      const problems: string[] = [];
      for (const run of runs) {
        await load(run.name, known.current, () => replaced).catch((error: unknown) => problems.push(explain(error)));
        if (replaced) return;
        setCurves(new Map(known.current));
      }
      setProblem(problems.join(' ') || null);
    };
    void loadAll();
    return () => {
      replaced = true;
    };
  }, [state]);
  return { curves, problem };
}

/** Reads the rest of a run's log to its end. */
async function load(name: string, known: Map<string, Curves>, replaced: () => boolean): Promise<void> {
  for (;;) {
    const before = known.get(name);
    const from = before?.next ?? 0;
    const more = await get<Curves>(`/runs/${encodeURIComponent(name)}/curves?from=${from}`);
    if (replaced()) return;
    if (more.next === from && !more.restarted && before) return;
    known.set(name, before && !more.restarted ? joined(before, more) : more);
    if (more.next === from) return;
  }
}

function joined(first: Curves, more: Curves): Curves {
  return {
    next: more.next,
    restarted: false,
    train: joinSeries(first.train, more.train),
    held_out: joinSeries(first.held_out, more.held_out),
    layers: joinSeries(first.layers, more.layers),
  };
}

function joinSeries(first: Series, more: Series): Series {
  const values: Series['values'] = {};
  const blank = (count: number) => Array<number | null>(count).fill(null);
  for (const name of new Set([...Object.keys(first.values), ...Object.keys(more.values)])) {
    values[name] = [...(first.values[name] ?? blank(first.step.length)), ...(more.values[name] ?? blank(more.step.length))];
  }
  return { step: [...first.step, ...more.step], values };
}

/** Exponential smoothing, corrected at the start, as in TensorBoard: points that are not numbers are skipped. */
export function smoothed(values: readonly (number | null)[], weight: number): (number | null)[] {
  let last = 0;
  let count = 0;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    last = last * weight + (1 - weight) * value;
    count += 1;
    return weight === 0 ? value : last / (1 - weight ** count);
  });
}
