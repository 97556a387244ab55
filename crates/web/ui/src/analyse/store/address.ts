/** The screen's choices in the address, so that a reload or a link restores them. */

import { useEffect } from 'preact/hooks';
import { queryText, rename } from '../../route.ts';
import type { Choices } from './choices.ts';
import type { Engine } from './engine.ts';

const DEFAULT_BUDGET = 100_000;

/** The budget in an address: any number of visits, or `none` for no limit. Anything else is reported. */
export function budgetOf(text: string | null): { budget: number | null; problem: string | null } {
  if (text === null) return { budget: DEFAULT_BUDGET, problem: null };
  if (text === 'none') return { budget: null, problem: null };
  if (/^[1-9]\d{0,8}$/.test(text)) return { budget: Number(text), problem: null };
  return { budget: DEFAULT_BUDGET, problem: `The address has nodes=${text}; expected a whole number from 1 to 999999999, or none.` };
}

/** Keeps the choices in the address. Usual ones are left out. */
export function useAddress({ network, second, budget }: Engine, { view, orientation, tab }: Choices): void {
  const written = {
    net: network,
    net2: second ?? '',
    nodes: budget === DEFAULT_BUDGET ? '' : String(budget ?? 'none'),
    pov: view === 'mover' ? 'turn' : '',
    flip: orientation === 'black' ? '1' : '',
    tab: tab === 'moves' ? '' : tab,
  };
  useEffect(() => {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(written)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    rename(location.pathname + queryText(query) + location.hash);
  }, Object.values(written));
}
