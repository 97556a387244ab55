/**
 * A search recorded from its first visit, to be looked at again. The budget rises step by step on the same tree, and the
 * search's knowledge at each step is kept.
 */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import type { AnalysisView, SearchTrace, TreeView } from '../server/types.ts';

/** Visits at which the search is recorded. */
export const STEPS = [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000, 20_000, 30_000, 50_000, 100_000];
/** Milliseconds for which each step is shown during playback. */
const STEP_MS = 700;

export interface Frame {
  /** The number of the search request; the tree of the request has the same number. */
  key: number;
  visits: number;
  trace: SearchTrace;
  tree: TreeView | null;
}

export interface Replay {
  /** The step that is being searched; null when nothing is recorded. */
  step: number | null;
  frames: Frame[];
  /** The step on the board; null for the live search. */
  shown: Frame | null;
  index: number | null;
  playing: boolean;
  record: () => void;
  stop: () => void;
  show: (index: number | null) => void;
  play: (on: boolean) => void;
  /** Takes a new state of the search: the last one of a step is kept, and the next step begins or the recording ends. */
  take: (view: AnalysisView | null) => void;
}

/** `position` names the position on the board: a recording belongs to one position. */
export function useReplay(position: string): Replay {
  const [step, setStep] = useState<number | null>(null);
  const [frames, setFrames] = useState<Frame[]>([]);
  const [index, setIndex] = useState<number | null>(null);
  const [playing, setPlaying] = useState(false);
  const trees = useRef<TreeView | null>(null);
  useEffect(() => {
    setStep(null);
    setFrames([]);
    setIndex(null);
    setPlaying(false);
  }, [position]);
  // The server has a tree to send only once the search has begun.
  const [begun, setBegun] = useState(false);
  const recording = step !== null && begun;
  useEffect(() => {
    if (!recording) return undefined;
    return live.listen('tree/a', (data) => {
      if (!data || typeof data !== 'object' || 'refused' in data) return;
      const tree = data as TreeView;
      trees.current = tree;
      // The tree of a step may arrive after the state that ended it.
      setFrames((all) => (all.some((frame) => frame.key === tree.key) ? all.map((frame) => (frame.key === tree.key ? { ...frame, tree } : frame)) : all));
    });
  }, [recording]);
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setInterval(() => {
      setIndex((at) => {
        const next = (at ?? -1) + 1;
        if (next < frames.length) return next;
        setPlaying(false);
        return at;
      });
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [playing, frames.length]);
  const shown = index === null ? null : (frames[index] ?? null);
  return useMemo(
    () => ({
      step,
      frames,
      index,
      shown,
      playing,
      record: () => {
        setFrames([]);
        setIndex(null);
        setPlaying(false);
        trees.current = null;
        setStep(0);
      },
      stop: () => setStep(null),
      show: (at) => {
        setPlaying(false);
        setIndex(at);
      },
      play: (on) => {
        if (on && (index === null || index + 1 >= frames.length)) setIndex(0);
        setPlaying(on);
      },
      take: (view) => {
        if (step === null || !view) return;
        setBegun(true);
        if (!view.trace || view.budget !== STEPS[step]) return;
        if (view.stage !== 'spent' && view.stage !== 'proven') {
          if (view.stage === 'over' || view.stage === 'failed') setStep(null);
          return;
        }
        if (frames.some((frame) => frame.key === view.key)) return;
        const tree = trees.current?.key === view.key ? trees.current : null;
        setFrames([...frames, { key: view.key, visits: view.visits, trace: view.trace, tree }]);
        setStep(view.stage === 'spent' && step + 1 < STEPS.length ? step + 1 : null);
      },
    }),
    [step, frames, index, playing],
  );
}
