/** One game on the server: its newest state, and the requests that change it. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { randomName } from '../random-name.ts';
import { EVERY_PAGE_TRIED, live } from '../server/live.ts';
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

/** Milliseconds in which, after a restart of the server, the page that played goes first. It may be the last to come back, and then has to send its move. */
export const GRACE = EVERY_PAGE_TRIED + 4000;

const PAGE_KEY = 'tabiya.page';

/** This tab's name, the same after a reload. */
function pageName(): string {
  const kept = sessionStorage.getItem(PAGE_KEY);
  if (kept) return kept;
  const name = randomName();
  sessionStorage.setItem(PAGE_KEY, name);
  return name;
}

/** Lets other tabs play the game; the request outlives the page. */
function leaveGame(id: string): void {
  const options = { method: 'POST', keepalive: true, headers: { 'content-type': 'application/json' }, body: '{"page":null}' };
  fetch(`/api/v1/games/${id}/hold`, options).catch(() => undefined);
}

/** What this page knows of the game besides what it draws, and what it does with news. */
interface Seat {
  newest: { current: GameView | null };
  /** True while this page plays the game. */
  playing: { current: boolean };
  /** The move on its way to the server. */
  waiting: { current: GameLink['pending'] };
  take: (view: GameView) => void;
  hold: (move: GameLink['pending']) => void;
  complain: (problem: string | null) => void;
  /** Draws the newest state again, so that a refused move goes back. */
  redraw: () => void;
}

type Actions = ReturnType<typeof actionsOf>;

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
  const seat: Seat = { newest, playing, waiting, take, hold, complain: setProblem, redraw: () => setState((state) => ({ ...state })) };
  const actions = useMemo(() => actionsOf(id, seat), [id]);
  retake.current = actions.takeOver;
  useEffect(() => follow(id, seat, actions, () => setMissing(true)), [id]);

  const holder = state.view?.holder ?? null;
  const elsewhere = state.view !== null && !state.view.end && holder !== null && holder !== pageName();
  return { view: state.view, at: state.at, missing, pending, problem, elsewhere, ...actions };
}

function actionsOf(id: string, { newest, take, hold, complain, redraw }: Seat) {
  const fail = (error: unknown) => complain(explain(error));
  const send = async (move: { ply: number; uci: string }) => {
    try {
      take(await post<GameView>(`/games/${id}/moves`, { ...move, page: pageName() }));
      hold(null);
    } catch (error) {
      // While the server does not answer, the move waits, and is sent once when the server is back.
      if (error instanceof Refused && error.status === 0) return;
      hold(null);
      // That another page plays is said with the button that takes the game over.
      if (!(error instanceof Refused && error.code === 'other_page')) fail(error);
      redraw();
    }
  };
  return {
    send,
    play: (uci: string) => {
      if (!newest.current) return;
      const move = { ply: newest.current.moves.length, uci };
      complain(null);
      hold(move);
      void send(move);
    },
    takeOver: () => {
      post<GameView>(`/games/${id}/hold`, { page: pageName() }).then(take, fail);
    },
    act: (what: string) => {
      complain(null);
      post<GameView>(`/games/${id}/${what}`).then(take, fail);
    },
    hint: async () => {
      try {
        return await post<HintView>(`/games/${id}/hint`);
      } catch (error) {
        fail(error);
        return null;
      }
    },
  };
}

/** Asks for the game and listens to it until the returned function is called, which also leaves it to other tabs. */
function follow(id: string, { newest, playing, waiting, take, hold }: Seat, actions: Actions, onMissing: () => void): () => void {
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
    if (error instanceof Refused && error.status === 404) onMissing();
  });
  const stopListening = live.listen(`game/${id}`, (data) => {
    if (data && typeof data === 'object' && 'refused' in data) {
      const { refused } = data;
      if (refused instanceof Refused && refused.code === 'not_found') onMissing();
      return;
    }
    take(data as GameView);
  });
  let turn: ReturnType<typeof setTimeout> | undefined;
  const reopened = (view: GameView) => {
    // A restarted server knows of no player any more. A page that only looks on leaves the seat to the one that played, if that is still there.
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
  };
  const stopWatching = live.onReopen(() => {
    // A restarted server counts from the beginning.
    newest.current = null;
    get<GameView>(`/games/${id}`).then(reopened, () => undefined);
  });
  return () => {
    removeEventListener('pagehide', leave);
    clearTimeout(turn);
    leave();
    stopListening();
    stopWatching();
  };
}
