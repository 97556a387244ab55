/** The engine of the analysis board: its networks, its budget, and the results for the position shown. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { positionOf } from '../chess/position.ts';
import { explain, get } from '../server/request.ts';
import type { NetworkSummary } from '../server/types.ts';
import { remember, remembered } from '../settings.ts';
import { budgetOf } from './screen-parts.ts';
import { STEPS, useReplay } from './use-replay.ts';
import { type SeenSearch, isOf, keepSeen, seenSearch, storeSeen } from './seen.ts';
import { type SearchState, useSearch } from './use-search.ts';

/** The position on the board. */
export interface Shown {
  start: string;
  moves: string[];
  fen: string;
}

/** Visits of the search for the other side's threat. */
const THREAT_NODES = 200;
const KEY = 'tabiya.engine';

export function useEngine(query: URLSearchParams, shown: Shown, threatWanted: boolean) {
  const [networks, setNetworks] = useState<NetworkSummary[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [network, setNetwork] = useState(query.get('net') ?? '');
  const [second, setSecond] = useState<string | null>(query.get('net2'));
  const [on, setRunning] = useState(() => remembered(KEY, { on: false }).on);
  const [asked] = useState(() => budgetOf(query.get('nodes')));
  const [budget, setBudget] = useState<number | null>(asked.budget);
  const [attempt, setAttempt] = useState(0);
  const [only, setOnly] = useState<string[]>([]);
  const setOn = (next: boolean) => {
    setRunning(next);
    remember(KEY, { on: next });
  };

  useEffect(() => {
    get<NetworkSummary[]>('/networks').then(
      (all) => {
        const usable = all.filter((one) => !one.problem);
        const known = (id: string | null) => id === null || usable.some((one) => one.id === id);
        const first = usable[0]?.id ?? '';
        const missing = [query.get('net'), query.get('net2')].filter((id) => !known(id));
        if (missing.length > 0) setProblem(`There is no network ${missing.join(' or ')}; the address named it.`);
        setNetworks(usable);
        setNetwork((chosen) => (chosen && known(chosen) ? chosen : first));
        // A second network may have been asked for before there was a list to choose from.
        setSecond((chosen) => (chosen === '' ? ((usable.slice(1).find((one) => one.kind !== 'human') ?? usable[1])?.id ?? first) : known(chosen) ? chosen : null));
      },
      (error: unknown) => setProblem(explain(error)),
    );
  }, []);

  const { start, moves, fen } = shown;
  const position = `${start} ${moves.join(' ')} ${network}`;
  const replay = useReplay(position);
  const recording = replay.step !== null;
  const ready = networks.length > 0 && network !== '';
  const common = { start, moves, attempt };
  const nodes = recording ? (STEPS[replay.step ?? 0] ?? null) : budget;
  const a = useSearch('a', {
    ...common,
    on: ready && (on || recording),
    network,
    budget: nodes,
    only: recording ? [] : only,
    // With an old tree, a budget of one visit would show the thousands of visits of that tree.
    fresh: nodes === 1,
  });
  const b = useSearch('b', { ...common, on: ready && on && !recording && second !== null, network: second ?? '', budget, only, fresh: budget === 1 });
  const threatFen = useMemo(() => withoutMove(fen), [fen]);
  const threat = useSearch('threat', {
    ...common,
    on: ready && on && !recording && threatWanted && threatFen !== null,
    network,
    start: threatFen ?? start,
    moves: [],
    budget: THREAT_NODES,
    only: [],
  });
  useEffect(() => replay.take(a.view), [a.view, replay.step]);
  useEffect(() => {
    // Searches of chosen moves say nothing about the other moves.
    if (a.view && only.length === 0) keepSeen(a.view);
  }, [a.view]);
  useEffect(() => {
    addEventListener('pagehide', storeSeen);
    return () => {
      storeSeen();
      removeEventListener('pagehide', storeSeen);
    };
  }, []);
  useEffect(() => setOnly([]), [position]);

  // Networks that play like people answer another question than which move is best, and those of reproduced systems are weak; they come
  // second only by choice.
  const others = networks.filter((one) => one.id !== network);
  const other = (others.find((one) => !['human', 'system', 'baseline'].includes(one.kind)) ?? others[0])?.id ?? network;
  const kept = only.length === 0 ? keptInstead(seenSearch(network, fen), a, { fen, budget: nodes }) : null;
  const live = a.view?.trace && isOf(a.view.trace, fen) ? a.view.trace : null;
  return {
    networks,
    problem: problem ?? asked.problem,
    network,
    setNetwork,
    second,
    setSecond,
    toggleSecond: () => setSecond(second === null ? other : null),
    on,
    setOn,
    budget,
    setBudget,
    retry: () => setAttempt(attempt + 1),
    only,
    clearOnly: () => setOnly([]),
    toggleOnly: (uci: string) => setOnly(only.includes(uci) ? only.filter((one) => one !== uci) : [...only, uci]),
    replay,
    search: a,
    searchB: b,
    /** Visits of a larger search that is shown instead of the live one; null if there is none. */
    kept: replay.shown ? null : (kept?.visits ?? null),
    /** The trace for the table and the arrows: a recorded step, or else the larger of the live search and the earlier one. */
    trace: replay.shown?.trace ?? kept?.trace ?? live,
    other: second === null || replay.shown || !b.view?.trace || !isOf(b.view.trace, fen) ? null : b.view.trace,
    threat: threat.view?.trace?.moves[0] ?? null,
  };
}

export type Engine = ReturnType<typeof useEngine>;

/** The earlier search of the position, if it is larger than the live one and the reader did not ask for a smaller one. */
function keptInstead(seen: SeenSearch | null, { view }: SearchState, wanted: { fen: string; budget: number | null }): SeenSearch | null {
  if (!seen) return null;
  // A search may overshoot its budget by the visits that were under way.
  if (wanted.budget !== null && 1.05 * wanted.budget + 10 < seen.visits) return null;
  if (wanted.budget === 1) return null;
  if (!view?.trace || !isOf(view.trace, wanted.fen)) return seen;
  return seen.visits > view.visits && view.stage !== 'spent' && view.stage !== 'proven' ? seen : null;
}

/** The position as if the side to move passed; null if it is in check, because a pass then means nothing. */
function withoutMove(fen: string): string | null {
  const fields = fen.split(' ');
  fields[1] = fields[1] === 'w' ? 'b' : 'w';
  fields[3] = '-';
  const passed = fields.join(' ');
  return 'position' in positionOf(passed) ? passed : null;
}
