/** The name of the opening on the board. Its table is a separate file, fetched when a first move is on the board. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Opening, type Openings, openingEnd, openingOf, readOpenings } from './openings.ts';
import { INITIAL_FEN } from './position.ts';

let loaded: Openings | null = null;

async function load(): Promise<Openings> {
  const { default: table } = await import('virtual:openings');
  loaded ??= readOpenings(table);
  return loaded;
}

/** The opening of the latest named position among `fens`; null while the table has not arrived. */
export function useOpening(fens: readonly string[]): Opening | null {
  const openings = useTable(fens);
  return useMemo(() => openings && openingOf(openings, fens), [openings, fens]);
}

/** Number of half-moves of a game after which no position has a name any more. */
export function useOpeningEnd(fens: readonly string[]): number | null {
  const openings = useTable(fens);
  return useMemo(() => openings && openingEnd(openings, fens), [openings, fens]);
}

/** The names of openings; null until they are wanted and have arrived. */
export function useOpenings(wanted: boolean): Openings | null {
  const [openings, setOpenings] = useState(loaded);
  useEffect(() => {
    if (wanted) void load().then(setOpenings);
  }, [wanted]);
  return openings;
}

function useTable(fens: readonly string[]): Openings | null {
  return useOpenings(fens.at(-1) !== INITIAL_FEN);
}
