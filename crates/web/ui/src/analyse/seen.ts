/**
 * Results of the engine so far: the largest search of every position searched, so that the table is there when the reader
 * returns to it, and its value, for the list and the graph. The values survive a reload of the tab; the searches do not.
 */

import { useLayoutEffect, useState } from 'preact/hooks';
import type { AnalysisView, SearchTrace, Wdl } from '../server/types.ts';
import { forWhite } from './numbers.ts';

/** Searches and values that are kept; the ones not written for longest go first. */
const MOST_SEARCHES = 300;
const MOST_VALUES = 3000;
const KEY = 'tabiya.seen';
/** Fewer visits are a first sight, which the next visit may overturn. */
const LEAST_VISITS = 30;

export interface SeenSearch {
  visits: number;
  trace: SearchTrace;
}

export interface SeenValue {
  visits: number;
  white: Wdl;
}

const searches = new Map<string, SeenSearch>();
const values = new Map<string, SeenValue>(stored());
/** Incremented with every value that is new or considerably better. */
let version = 0;
const watchers = new Set<() => void>();

/** Board, side to move and castling: what a value depends on. */
function positionKey(fen: string): string {
  return fen.split(' ', 3).join(' ');
}

function put<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

/** Keeps a state of a search unless a larger search of its position is known. */
export function keepSeen(view: AnalysisView): void {
  const { trace, visits, network } = view;
  // What is proven stays as it is, however few visits it took.
  if (!trace?.wdl || (visits < LEAST_VISITS && view.stage !== 'proven')) return;
  const position = positionKey(trace.fen);
  const search = searches.get(`${network} ${position}`);
  if (!search || search.visits <= visits) put(searches, `${network} ${position}`, { visits, trace }, MOST_SEARCHES);
  const value = values.get(position);
  if (value && value.visits >= visits) return;
  // The list and the graph need not follow every state of a running search.
  const news = !value || visits >= 1.1 * value.visits || view.stage !== 'running';
  put(values, position, { visits, white: forWhite(trace.wdl, trace.fen.split(' ')[1] === 'w') }, MOST_VALUES);
  if (!news) return;
  version += 1;
  for (const watcher of watchers) watcher();
}

/** Redraws whenever there is a new value. */
export function useSeenVersion(): number {
  const [shown, setShown] = useState(version);
  useLayoutEffect(() => {
    const update = () => setShown(version);
    watchers.add(update);
    update();
    return () => {
      watchers.delete(update);
    };
  }, []);
  return shown;
}

export function seenSearch(network: string, fen: string): SeenSearch | null {
  return searches.get(`${network} ${positionKey(fen)}`) ?? null;
}

export function seenValue(fen: string): SeenValue | null {
  return values.get(positionKey(fen)) ?? null;
}

/** True if a state belongs to a position: right after a step, the newest one still belongs to the previous position. */
export function isOf(trace: SearchTrace, fen: string): boolean {
  return positionKey(trace.fen) === positionKey(fen);
}

/** Stores the values for the next load of this tab. */
export function storeSeen(): void {
  try {
    const short = (share: number) => Number(share.toFixed(4));
    const rows = [...values].map(([key, { visits, white }]) => [key, visits, short(white.win), short(white.draw), short(white.loss)]);
    sessionStorage.setItem(KEY, JSON.stringify(rows));
  } catch {
    // A browser that stores nothing searches again.
  }
}

function stored(): [string, SeenValue][] {
  try {
    const rows = JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as [string, number, number, number, number][];
    return rows.map(([key, visits, win, draw, loss]) => [key, { visits, white: { win, draw, loss } }]);
  } catch {
    return [];
  }
}
