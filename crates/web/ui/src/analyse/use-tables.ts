/** The opening tables of the server. They are requested again only while one is awaited and the page is in sight. */

import { useEffect, useState } from 'preact/hooks';
import { explain, get } from '../server/request.ts';
import type { OpeningsView } from '../server/types.ts';
import { useVisible } from '../shell/use-visible.ts';

/** Milliseconds between two requests while a table is being read, and while there is none. */
const READING_MS = 1000;
const ABSENT_MS = 5000;

export interface KnownTables {
  view: OpeningsView | null;
  problem: string | null;
  /** False if the answer may be out of date. */
  current: boolean;
}

/** Milliseconds until the tables are requested again; null if none is awaited. */
export function nextRequest({ view, problem, current }: KnownTables): number | null {
  if (!current) return 0;
  if (view?.tables.some((table) => table.share !== null)) return READING_MS;
  // A file may be put into the folder that the page names, and a folder that cannot be listed may be mended.
  return view?.tables.some((table) => table.ready) && problem === null ? null : ABSENT_MS;
}

/** `managing` is true while the list of tables and files is open, which begins with the newest state. */
export function useTables(managing: boolean) {
  const visible = useVisible();
  const [known, setKnown] = useState<KnownTables>({ view: null, problem: null, current: false });
  useEffect(() => setKnown((last) => (last.current ? { ...last, current: false } : last)), [visible, managing]);
  const wait = nextRequest(known);
  useEffect(() => {
    if (!visible || wait === null) return undefined;
    // An answer that an action has overtaken is dropped.
    let replaced = false;
    const done = (view: OpeningsView | null, problem: string | null) => {
      if (!replaced) setKnown({ view, problem, current: true });
    };
    const timer = setTimeout(() => {
      get<OpeningsView>('/openings').then(
        (view) => done(view, null),
        (error: unknown) => done(known.view, explain(error)),
      );
    }, wait);
    return () => {
      replaced = true;
      clearTimeout(timer);
    };
  }, [known, visible, wait]);
  const setView = (view: OpeningsView) => setKnown({ view, problem: null, current: true });
  return { view: known.view, setView, problem: known.problem };
}
