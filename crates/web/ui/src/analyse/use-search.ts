/** A live search: a request in, its newest state out. The thread on the server keeps its tree between positions. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import { explain } from '../server/request.ts';
import type { AnalysisView } from '../server/types.ts';

export interface SearchRequest {
  on: boolean;
  network: string;
  start: string;
  moves: string[];
  /** Visits at which to stop; null for never. */
  budget: number | null;
  only: string[];
  /** True to start with an empty tree. */
  fresh?: boolean;
  /** Incremented when the search should be tried again. */
  attempt: number;
}

export interface SearchState {
  /** The newest state that belongs to the position asked for. */
  view: AnalysisView | null;
  problem: string | null;
}

/** Shortest time between the starts of two searches; the first one starts at once. */
const BETWEEN_STARTS_MS = 120;

let nextKey = 1;

export function useSearch(name: string, wanted: SearchRequest): SearchState {
  const [state, setState] = useState<SearchState>({ view: null, problem: null });
  const key = useRef(0);
  const newest = useRef<AnalysisView | null>(null);
  const frame = useRef(0);
  const begun = useRef(-Infinity);
  const { on, network, budget } = wanted;
  const position = `${wanted.start} ${wanted.moves.join(' ')}`;
  const only = wanted.only.join(' ');

  useEffect(() => {
    const stop = live.hear(`search/${name}`, (data) => {
      const view = data as AnalysisView;
      if (view.key !== key.current) return;
      newest.current = view;
      // Many states may arrive between two frames of the screen; only the newest is drawn.
      frame.current ||= requestAnimationFrame(() => {
        frame.current = 0;
        setState({ view: newest.current, problem: null });
      });
    });
    return () => {
      stop();
      cancelAnimationFrame(frame.current);
      frame.current = 0;
      if (live.isOpen()) live.send({ t: 'stop_search', search: name }).catch(() => undefined);
    };
  }, [name]);

  useEffect(() => {
    setState((state) => ({ view: state.view, problem: null }));
    if (!on) {
      if (live.isOpen() && key.current > 0) live.send({ t: 'stop_search', search: name }).catch(() => undefined);
      return undefined;
    }
    // From now on, states of the previous position are old, even while the new search waits for its turn.
    key.current = nextKey++;
    newest.current = null;
    const start = () => {
      begun.current = performance.now();
      const request: Record<string, unknown> = { key: key.current, fen: wanted.start, moves: wanted.moves };
      if (network) request['network'] = network;
      if (budget !== null) request['nodes'] = budget;
      if (wanted.only.length > 0) request['only'] = wanted.only;
      if (wanted.fresh) request['fresh'] = true;
      live.send({ t: 'search', search: name, request }).catch((error: unknown) => {
        if (live.isOpen()) setState({ view: null, problem: explain(error) });
      });
    };
    // Holding an arrow key down passes more positions than anybody can look at.
    const pause = Math.max(0, BETWEEN_STARTS_MS - (performance.now() - begun.current));
    const timer = live.isOpen() ? setTimeout(start, pause) : undefined;
    // A search that waits for the first connection starts with it; after a break, the search starts again.
    let started = live.isOpen();
    const stopWatching = live.watch((link) => {
      if (link.kind !== 'open') {
        started = false;
      } else if (!started) {
        started = true;
        start();
      }
    });
    return () => {
      clearTimeout(timer);
      stopWatching();
    };
  }, [name, on, network, position, budget, only, wanted.attempt]);

  const shown = state.view && state.view.key === key.current ? state.view : null;
  return { view: shown, problem: state.problem };
}
