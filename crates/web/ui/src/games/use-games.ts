/** The store of the list of games: all games of the server, and those that the reader wants, kept in the address. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { positionOf } from '../chess/position.ts';
import { useOpenings } from '../chess/use-opening.ts';
import { rename } from '../route.ts';
import { live } from '../server/live.ts';
import { explain, get } from '../server/request.ts';
import type { GameList, Level } from '../server/types.ts';
import { type Ratings, type Wanted, EVERYTHING, PAGE, openingsOfGames, queryOf, ratingsOf, selected, wantedOf } from './game-list.ts';

/** Games that the server looks through, its limit. */
const MOST = 2000;

/** The ratings of the levels; none until the server has answered, and none if it does not, because the list is of use without them. */
function useRatings(): Ratings {
  const [ratings, setRatings] = useState<Ratings>(new Map());
  useEffect(() => {
    get<Level[]>('/levels').then(
      (levels) => setRatings(ratingsOf(levels)),
      () => undefined,
    );
  }, []);
  return ratings;
}

export type Games = ReturnType<typeof useGames>;

export function useGames() {
  const [list, setList] = useState<GameList | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [wanted, setWanted] = useState<Wanted>(() => wantedOf(new URLSearchParams(location.search)));
  const position = wanted.position.trim();
  const parsed = position ? positionOf(position) : null;
  const misread = parsed && 'problem' in parsed ? parsed.problem : null;
  // A position that cannot be read yet is being typed.
  const asked = misread === null ? position : '';
  useEffect(() => {
    let replaced = false;
    const query = new URLSearchParams({ most: String(MOST), ...(asked && { fen: asked }) });
    const load = () => {
      get<GameList>(`/games?${query}`).then(
        (found) => {
          if (replaced) return;
          setList(found);
          setProblem(null);
        },
        (error: unknown) => {
          if (!replaced) setProblem(explain(error));
        },
      );
    };
    load();
    const leave = live.onReopen(load);
    return () => {
      replaced = true;
      leave();
    };
  }, [asked]);
  useEffect(() => {
    const query = queryOf(wanted);
    rename(location.pathname + (query ? `?${query}` : ''));
  }, [wanted]);
  const games = list?.games ?? [];
  const { page, ...filter } = wanted;
  const names = useOpenings(games.length > 0);
  const openings = useMemo(() => (names ? openingsOfGames(games, names) : new Map()), [list, names]);
  const ratings = useRatings();
  const found = useMemo(() => selected(games, wanted, openings, ratings), [list, openings, ratings, JSON.stringify(filter)]);
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const shown = Math.min(page, pages - 1);
  return {
    /** Null until the server has answered. */
    games: list && games,
    problems: [...(problem ? [problem] : []), ...(list?.problems ?? [])],
    /** What is wrong with the wanted position; null if nothing is. */
    misread,
    openings,
    ratings,
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
