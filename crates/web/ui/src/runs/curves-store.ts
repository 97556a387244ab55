/** The curves of one run, kept up to date: what is new is asked for whenever the run's log grew. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import { explain, get } from '../server/request.ts';
import type { Curves, RunSummary, Series } from '../server/types.ts';

/** All runs, newest first, and again whenever one changes. */
export function useRuns(): { runs: RunSummary[] | null; problem: string | null } {
  const [runs, setRuns] = useState<RunSummary[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    get<RunSummary[]>('/runs').then(setRuns, (error: unknown) => setProblem(explain(error)));
    return live.listen('runs', (data) => {
      if (data && typeof data === 'object' && 'runs' in data) setRuns(data.runs as RunSummary[]);
    });
  }, []);
  return { runs, problem };
}

export function useCurves(run: RunSummary | undefined): { curves: Curves | null; problem: string | null } {
  const [curves, setCurves] = useState<Curves | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const known = useRef<Curves | null>(null);
  const name = run?.name;
  useEffect(() => {
    known.current = null;
    setCurves(null);
  }, [name]);
  useEffect(() => {
    if (!name) return undefined;
    // When the run changes again meanwhile, the next effect goes on from what is known by then.
    let replaced = false;
    const load = async () => {
      try {
        for (;;) {
          const from = known.current?.next ?? 0;
          const more = await get<Curves>(`/runs/${encodeURIComponent(name)}/curves?from=${from}`);
          if (replaced) return;
          if (more.next === from && !more.restarted && known.current) break;
          known.current = known.current && !more.restarted ? joined(known.current, more) : more;
          setCurves(known.current);
          if (more.next === from) break;
        }
        setProblem(null);
      } catch (error) {
        if (!replaced) setProblem(explain(error));
      }
    };
    void load();
    return () => {
      replaced = true;
    };
  }, [name, run?.log_bytes, run?.modified]);
  return { curves, problem };
}

function joined(first: Curves, more: Curves): Curves {
  return {
    next: more.next,
    restarted: false,
    train: joinSeries(first.train, more.train),
    held_out: joinSeries(first.held_out, more.held_out),
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

/** Exponential smoothing, corrected at its start, as TensorBoard's: points that are no numbers are skipped. */
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
