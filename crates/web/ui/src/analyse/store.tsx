/**
 * What the panels of the analysis share. Each part has a context of its own, so that a panel is drawn again only when a part that
 * it reads has changed: the search sends several states a second, and few panels show them. A new part is a hook in `store/`, whose
 * value stays the same object while nothing in it changes, and a line in `useParts`.
 */

import { type ComponentChildren, type Context, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Route } from '../route.ts';
import { useAddress } from './store/address.ts';
import { useChoices } from './store/choices.ts';
import { useArrows, useHeat } from './store/drawing.ts';
import { useEngine } from './store/engine.ts';
import { useGame } from './store/game.ts';
import { useIncoming } from './store/incoming.ts';
import { usePointer } from './store/pointer.ts';
import { useGameReview } from './store/review.ts';
import { useSearches } from './store/search.ts';
import { useSolving } from './store/solving.ts';
import { useValues } from './store/values.ts';
import { useWalk } from './store/walk.ts';

function useParts(route: Route) {
  const game = useGame(route);
  const choices = useChoices(route.query);
  const engine = useEngine(route.query, game);
  const search = useSearches(game, engine, choices.layers.threat);
  const [pointed, point] = usePointer(game.node);
  useAddress(engine, choices);
  const incoming = useIncoming(route.query, game, choices);
  const review = useGameReview(game, engine.network, choices.reviewNodes);
  const solving = useSolving(game, review.review, choices);
  const values = useValues(game.line, review.points, solving.solving);
  const heat = useHeat(game, search, engine, choices.layers, solving.quiet);
  const arrows = useArrows(game, search, choices, pointed, solving.solving ? null : review.reason, solving.quiet);
  const walk = useWalk(game, review.review, choices.orientation);
  /** What went wrong last, to be told to the reader. */
  const problem = game.problem ?? engine.problem ?? incoming.problem ?? heat.problem;
  return { game, choices, engine, search, pointed, point, incoming, review, solving, values, heat, arrows, walk, problem };
}

type Parts = ReturnType<typeof useParts>;

const contexts = new Map<keyof Parts, Context<unknown>>();

function contextOf(part: keyof Parts): Context<unknown> {
  const known = contexts.get(part) ?? createContext<unknown>(null);
  contexts.set(part, known);
  return known;
}

export function AnalysisStore({ route, children }: { route: Route; children: ComponentChildren }) {
  const parts = Object.entries(useParts(route)) as [keyof Parts, unknown][];
  return parts.reduce((inside, [part, value]) => {
    const { Provider } = contextOf(part);
    return <Provider value={value}>{inside}</Provider>;
  }, children);
}

/** A part of the store; the panel is drawn again whenever it changes. */
export function useAnalysis<K extends keyof Parts>(part: K): Parts[K] {
  return useContext(contextOf(part)) as Parts[K];
}
