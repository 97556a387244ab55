/** One game on the server: its newest state, and the requests that change it. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import { Refused, explain, get, post } from '../server/request.ts';
import type { GameView, HintView } from '../server/types.ts';

export interface GameLink {
  view: GameView | null;
  /** Arrival time of `view`, on this page's clock, for counting seconds down. */
  at: number;
  missing: boolean;
  /** A move on its way to the server. */
  pending: { ply: number; uci: string } | null;
  /** The last refusal of the server. */
  problem: string | null;
  /** True if another page plays this game. */
  elsewhere: boolean;
  takeOver: () => void;
  play: (uci: string) => void;
  act: (what: 'undo' | 'resign' | 'draw' | 'retry') => void;
  hint: () => Promise<HintView | null>;
}

/** Milliseconds in which, after a restart of the server, the page that played goes first. */
const GRACE = 5000;

const PAGE_KEY = 'tabiya.page';

/** This tab's name, the same after a reload. */
function pageName(): string {
  const kept = sessionStorage.getItem(PAGE_KEY);
  if (kept) return kept;
  const name = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  sessionStorage.setItem(PAGE_KEY, name);
  return name;
}

/** Lets other tabs play the game; the request outlives the page. */
function leaveGame(id: string): void {
  const options = { method: 'POST', keepalive: true, headers: { 'content-type': 'application/json' }, body: '{"page":null}' };
  fetch(`/api/v1/games/${id}/hold`, options).catch(() => undefined);
}

export function useGame(id: string): GameLink {
  const [state, setState] = useState<{ view: GameView | null; at: number }>({ view: null, at: 0 });
  const [missing, setMissing] = useState(false);
  const [pending, setPending] = useState<GameLink['pending']>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const newest = useRef<GameView | null>(null);
  const playing = useRef(false);
  const retake = useRef(() => undefined as void);
  const waiting = useRef<GameLink['pending']>(null);

  const take = (view: GameView) => {
    if (newest.current && view.seq < newest.current.seq) return;
    newest.current = view;
    // A page that plays keeps the game, even if its own farewell from before a reload arrives late.
    const kept = playing.current;
    playing.current = !view.end && (view.holder === pageName() || (view.holder === null && kept));
    if (playing.current && view.holder === null) retake.current();
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
        take(await post<GameView>(`/games/${id}/moves`, { ...move, page: pageName() }));
        hold(null);
      } catch (error) {
        // While the server does not answer, the move waits, and is sent once when the server is back.
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
      takeOver: () => {
        post<GameView>(`/games/${id}/hold`, { page: pageName() }).then(take, (error: unknown) => setProblem(explain(error)));
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

  retake.current = actions.takeOver;

  useEffect(() => {
    const opened = (view: GameView) => {
      take(view);
      if (!view.end && view.holder === null) actions.takeOver();
    };
    const leave = () => {
      const held = playing.current;
      playing.current = false;
      if (held) leaveGame(id);
    };
    addEventListener('pagehide', leave);
    get<GameView>(`/games/${id}`).then(opened, (error: unknown) => {
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
    let turn: ReturnType<typeof setTimeout> | undefined;
    const stopWatching = live.onReopen(() => {
      // A restarted server counts from the beginning.
      newest.current = null;
      get<GameView>(`/games/${id}`).then(
        (view) => {
          // It knows of no player any more. A page that only looks on leaves the seat to the one that played, if that is still there.
          if (playing.current || waiting.current) opened(view);
          else {
            take(view);
            clearTimeout(turn);
            turn = setTimeout(() => {
              if (newest.current && !newest.current.end && newest.current.holder === null) actions.takeOver();
            }, GRACE);
          }
          const move = waiting.current;
          if (!move) return;
          if (view.moves.length === move.ply) void actions.send(move);
          else hold(null);
        },
        () => undefined,
      );
    });
    return () => {
      removeEventListener('pagehide', leave);
      clearTimeout(turn);
      leave();
      stopListening();
      stopWatching();
    };
  }, [id]);

  const holder = state.view?.holder ?? null;
  const elsewhere = state.view !== null && !state.view.end && holder !== null && holder !== pageName();
  return { view: state.view, at: state.at, missing, pending, problem, elsewhere, ...actions };
}
