/** The order of the rows of the table of moves. */

import { useRef } from 'preact/hooks';
import type { TracedMove } from '../server/types.ts';
import { useAnalysis } from './store.tsx';

/** Shortest time between two changes of the order, in milliseconds. */
const ORDER_MS = 500;

/**
 * The moves in the order in which they have their rows. It stands still while `frozen`, and otherwise changes only now and then
 * until nothing changes any more (`settled`). `others` are the moves of the other network if the difference decides.
 */
export function useOrder(moves: TracedMove[], others: ReadonlyMap<string, TracedMove> | null, settled: boolean, frozen: { readonly current: boolean }): string[] {
  const { fen } = useAnalysis('game').node;
  const order = useRef({ ucis: [] as string[], at: 0, of: '' });
  const present = new Set(moves.map((move) => move.uci));
  const of = `${fen} ${others ? 'difference' : 'visits'}`;
  const now = performance.now();
  const { ucis, at } = order.current;
  const known = order.current.of === of && ucis.length === moves.length && ucis.every((uci) => present.has(uci));
  if (!known || (!frozen.current && (settled || now - at > ORDER_MS))) {
    const sorted = others ? byDifference(moves, others) : ranked(moves);
    order.current = { ucis: sorted.map((move) => move.uci), at: now, of };
  }
  return order.current.ucis;
}

/** Most visits first; before any visit, the highest prior first. */
function ranked(moves: TracedMove[]): TracedMove[] {
  const visited = moves.some((move) => move.visits > 0);
  return visited ? moves : [...moves].sort((first, second) => (second.prior ?? 0) - (first.prior ?? 0));
}

/** The moves first on whose priors the networks differ most. */
function byDifference(moves: TracedMove[], others: ReadonlyMap<string, TracedMove>): TracedMove[] {
  const difference = (move: TracedMove) => Math.abs((move.prior ?? 0) - (others.get(move.uci)?.prior ?? 0));
  return [...moves].sort((first, second) => difference(second) - difference(first));
}
