/** What the browser keeps of analyses: for a reload the one that a tab shows, the address of the last one, and news among tabs. */

import { remember, remembered } from '../settings.ts';

export interface Kept {
  /** Its name on the server; null as long as the reader has changed nothing. */
  id: string | null;
  /** The revision that the server has. */
  revision: number;
  /** False if something may not have reached the server. */
  saved: boolean;
  pgn: string;
  path: number[];
}

const KEY = 'tabiya.analysis';
const LAST = 'tabiya.last-analysis';
const SAVED = 'tabiya.saved-analysis';

export function keepInTab(kept: Kept): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A game too long for the browser is on the server.
    sessionStorage.removeItem(KEY);
  }
}

export function keptInTab(): Kept | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as (Pick<Kept, 'pgn' | 'path'> & Partial<Kept>) | null;
    return kept && { id: null, revision: 0, saved: true, ...kept };
  } catch {
    return null;
  }
}

export function rememberLast(address: string): void {
  remember(LAST, { address });
}

/** The address of the analysis that this browser showed last, in any tab; null if there is none. */
export function lastAnalysis(): URL | null {
  const { address } = remembered(LAST, { address: '' });
  return address ? new URL(address, location.origin) : null;
}

/** Tells the other tabs of this browser which revision of which analysis was saved. */
export function tellTabs(id: string, revision: number): void {
  remember(SAVED, { id, revision });
}

/** Calls back when another tab has saved an analysis, until the returned function is called. */
export function onSavedElsewhere(heard: (id: string, revision: number) => void): () => void {
  const look = ({ key }: StorageEvent) => {
    if (key !== SAVED) return;
    const { id, revision } = remembered(SAVED, { id: '', revision: 0 });
    heard(id, revision);
  };
  addEventListener('storage', look);
  return () => removeEventListener('storage', look);
}
