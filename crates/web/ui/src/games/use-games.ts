/** The store of the list of games: all games of the server, and those that the reader wants, kept in the address. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { rename } from '../route.ts';
import { live } from '../server/live.ts';
import { explain, get } from '../server/request.ts';
import type { GameList } from '../server/types.ts';
import { type Wanted, EVERYTHING, PAGE, queryOf, selected, wantedOf } from './game-list.ts';

export type Games = ReturnType<typeof useGames>;

export function useGames() {
  const [list, setList] = useState<GameList | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [wanted, setWanted] = useState<Wanted>(() => wantedOf(new URLSearchParams(location.search)));
  useEffect(() => {
    const load = () => {
      get<GameList>('/games').then(
        (found) => {
          setList(found);
          setProblem(null);
        },
        (error: unknown) => setProblem(explain(error)),
      );
    };
    load();
    return live.onReopen(load);
  }, []);
  useEffect(() => {
    const query = queryOf(wanted);
    rename(location.pathname + (query ? `?${query}` : ''));
  }, [wanted]);
  const games = list?.games ?? [];
  const { page, ...filter } = wanted;
  const found = useMemo(() => selected(games, wanted), [list, JSON.stringify(filter)]);
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const shown = Math.min(page, pages - 1);
  return {
    /** Null until the server has answered. */
    games: list && games,
    problems: [...(problem ? [problem] : []), ...(list?.problems ?? [])],
    wanted,
    found,
    pages,
    shown,
    rows: found.slice(shown * PAGE, (shown + 1) * PAGE),
    /** Another filter or order begins at its first page. */
    want: (changes: Partial<Wanted>) => setWanted({ ...wanted, page: 0, ...changes }),
    clear: () => setWanted({ ...EVERYTHING, sort: wanted.sort, falling: wanted.falling }),
  };
}
