/** One game on the server: its newest state, and the requests that change it. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import { Refused, explain, get, post } from '../server/request.ts';
import type { GameView, HintView } from '../server/types.ts';

export interface GameLink {
  view: GameView | null;
  /** When `view` arrived, on this page's clock, for counting seconds down. */
  at: number;
  missing: boolean;
  /** A move on its way to the server. */
  pending: { ply: number; uci: string } | null;
  /** What the server refused last. */
  problem: string | null;
  play: (uci: string) => void;
  act: (what: 'undo' | 'resign' | 'draw' | 'retry') => void;
  hint: () => Promise<HintView | null>;
}

export function useGame(id: string): GameLink {
  const [state, setState] = useState<{ view: GameView | null; at: number }>({ view: null, at: 0 });
  const [missing, setMissing] = useState(false);
  const [pending, setPending] = useState<GameLink['pending']>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const newest = useRef<GameView | null>(null);
  const waiting = useRef<GameLink['pending']>(null);

  const take = (view: GameView) => {
    if (newest.current && view.seq < newest.current.seq) return;
    newest.current = view;
    setState({ view, at: performance.now() });
    if (waiting.current && view.moves.length > waiting.current.ply) hold(null);
  };
  const hold = (move: GameLink['pending']) => {
    waiting.current = move;
    setPending(move);
  };

  const actions = useMemo(() => {
    const send = async (move: { ply: number; uci: string }) => {
      try {
        take(await post<GameView>(`/games/${id}/moves`, move));
        hold(null);
      } catch (error) {
        // While the server is away the move waits, and is sent once when it is back.
        if (error instanceof Refused && error.status === 0) return;
        hold(null);
        setProblem(explain(error));
        setState((state) => ({ ...state }));
      }
    };
    return {
      send,
      play: (uci: string) => {
        if (!newest.current) return;
        const move = { ply: newest.current.moves.length, uci };
        setProblem(null);
        hold(move);
        void send(move);
      },
      act: (what: string) => {
        setProblem(null);
        post<GameView>(`/games/${id}/${what}`).then(take, (error: unknown) => setProblem(explain(error)));
      },
      hint: async () => {
        try {
          return await post<HintView>(`/games/${id}/hint`);
        } catch (error) {
          setProblem(explain(error));
          return null;
        }
      },
    };
  }, [id]);

  useEffect(() => {
    get<GameView>(`/games/${id}`).then(take, (error: unknown) => {
      if (error instanceof Refused && error.status === 404) setMissing(true);
    });
    const stopListening = live.listen(`game/${id}`, (data) => {
      if (data && typeof data === 'object' && 'refused' in data) {
        const { refused } = data;
        if (refused instanceof Refused && refused.code === 'not_found') setMissing(true);
        return;
      }
      take(data as GameView);
    });
    const stopWatching = live.onReopen(() => {
      // A server that was started again counts from the beginning.
      newest.current = null;
      get<GameView>(`/games/${id}`).then(
        (view) => {
          take(view);
          const move = waiting.current;
          if (!move) return;
          if (view.moves.length === move.ply) void actions.send(move);
          else hold(null);
        },
        () => undefined,
      );
    });
    return () => {
      stopListening();
      stopWatching();
    };
  }, [id]);

  return { view: state.view, at: state.at, missing, pending, problem, ...actions };
}
