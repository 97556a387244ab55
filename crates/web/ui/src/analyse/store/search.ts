/** The engine's results for the position shown: the live searches, a larger earlier one, or a step of a recording. */

import { useEffect, useMemo } from 'preact/hooks';
import { positionOf } from '../../chess/position.ts';
import type { AnalysisView } from '../../server/types.ts';
import { type SeenSearch, isOf, keepSeen, seenSearch, storeSeen } from '../seen.ts';
import { STEPS, useReplay } from '../use-replay.ts';
import { useSearch } from '../use-search.ts';
import type { Engine } from './engine.ts';
import type { Game } from './game.ts';

/** Visits of the search for the other side's threat. */
const THREAT_NODES = 200;

export type Search = ReturnType<typeof useSearches>;

export function useSearches({ start, moves, node: { fen } }: Game, engine: Engine, threatWanted: boolean) {
  const { network, second, budget, only, attempt } = engine;
  const replay = useReplay(engine.position);
  const recording = replay.step !== null;
  const ready = engine.networks.length > 0 && network !== '';
  const common = { start, moves, attempt };
  const nodes = recording ? (STEPS[replay.step ?? 0] ?? null) : budget;
  const a = useSearch('a', {
    ...common,
    on: ready && (engine.on || recording),
    network,
    budget: nodes,
    only: recording ? [] : only,
    // With an old tree, a budget of one visit would show the thousands of visits of that tree.
    fresh: nodes === 1,
  });
  const live = ready && engine.on && !recording;
  const b = useSearch('b', { ...common, on: live && second !== null, network: second ?? '', budget, only, fresh: budget === 1 });
  const threatFen = useMemo(() => withoutMove(fen), [fen]);
  const threat = useSearch('threat', {
    ...common,
    on: live && threatWanted && threatFen !== null,
    network,
    start: threatFen ?? start,
    moves: [],
    budget: THREAT_NODES,
    only: [],
  });
  useEffect(() => replay.take(a.view), [a.view, replay.step]);
  useKept(a.view, only.length === 0);

  const { shown } = replay;
  const kept = only.length === 0 && !shown ? keptInstead(seenSearch(network, fen), a.view, { fen, budget: nodes }) : null;
  const trace = shown?.trace ?? kept?.trace ?? traceOf(a.view, fen);
  const other = second === null || shown ? null : traceOf(b.view, fen);
  const threatened = threat.view?.trace?.moves[0] ?? null;
  return useMemo(
    () => ({
      /** The newest states of the searches with the first and the second network. */
      view: a.view,
      viewB: b.view,
      problem: a.problem,
      /** Visits of a larger search that is shown instead of the live one; null if there is none. */
      kept: kept?.visits ?? null,
      /** The trace for the table and the arrows: a recorded step, or else the larger of the live search and the earlier one. */
      trace,
      other,
      threat: threatened,
      replay,
    }),
    [a.view, b.view, a.problem, kept?.visits, trace, other, threatened, replay],
  );
}

/** Keeps every state of a search, and stores the values when the page is left. */
function useKept(view: AnalysisView | null, everyMove: boolean): void {
  useEffect(() => {
    // Searches of chosen moves say nothing about the other moves.
    if (view && everyMove) keepSeen(view);
  }, [view]);
  useEffect(() => {
    addEventListener('pagehide', storeSeen);
    return () => {
      storeSeen();
      removeEventListener('pagehide', storeSeen);
    };
  }, []);
}

/** The trace of a search, unless it still belongs to the previous position. */
function traceOf(view: AnalysisView | null, fen: string) {
  return view?.trace && isOf(view.trace, fen) ? view.trace : null;
}

/** The earlier search of the position, if it is larger than the live one and the reader did not ask for a smaller one. */
function keptInstead(seen: SeenSearch | null, view: AnalysisView | null, wanted: { fen: string; budget: number | null }): SeenSearch | null {
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
