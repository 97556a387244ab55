/** A live search: what to search in, its newest state out. The thread on the server keeps its tree between positions. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import { explain } from '../server/request.ts';
import type { AnalysisView } from '../server/types.ts';

export interface SearchWish {
  on: boolean;
  network: string;
  start: string;
  moves: string[];
  /** Visits at which to stop; null for never. */
  budget: number | null;
  only: string[];
}

export interface SearchState {
  /** The newest state that belongs to the position asked for. */
  view: AnalysisView | null;
  problem: string | null;
}

let nextKey = 1;

export function useSearch(name: string, wish: SearchWish): SearchState {
  const [state, setState] = useState<SearchState>({ view: null, problem: null });
  const key = useRef(0);
  const newest = useRef<AnalysisView | null>(null);
  const frame = useRef(0);
  const { on, network, budget } = wish;
  const position = `${wish.start} ${wish.moves.join(' ')}`;
  const only = wish.only.join(' ');

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
    const start = () => {
      key.current = nextKey++;
      newest.current = null;
      const wished: Record<string, unknown> = { key: key.current, fen: wish.start, moves: wish.moves };
      if (network) wished['network'] = network;
      if (budget !== null) wished['nodes'] = budget;
      if (wish.only.length > 0) wished['only'] = wish.only;
      live.send({ t: 'search', search: name, wish: wished }).catch((error: unknown) => {
        if (live.isOpen()) setState({ view: null, problem: explain(error) });
      });
    };
    if (live.isOpen()) start();
    // Whoever waits for the first connection starts with it; after a break the search starts anew.
    let started = live.isOpen();
    return live.watch((link) => {
      if (link.kind !== 'open') {
        started = false;
      } else if (!started) {
        started = true;
        start();
      }
    });
  }, [name, on, network, position, budget, only]);

  const shown = state.view && state.view.key === key.current ? state.view : null;
  return { view: shown, problem: state.problem };
}
