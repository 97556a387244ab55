/** The games played here as rows: filtered, sorted and counted. */

import { type Opening, type Openings, openingOf } from '../chess/openings.ts';
import { INITIAL_FEN, fensOf } from '../chess/position.ts';
import type { Colour, GameSummary, Level } from '../server/types.ts';
import { opponentName } from '../shell/game-texts.ts';

/** Compares names with numbers in them: one collator, because making one for each comparison would take most of the time. */
const NAMES = new Intl.Collator('en', { numeric: true });

/** How a game ended for the person. */
export type Outcome = 'won' | 'drawn' | 'lost' | 'unfinished';

export const OUTCOMES: readonly Outcome[] = ['won', 'drawn', 'lost', 'unfinished'];
export const COLUMNS = ['started', 'opponent', 'rating', 'colour', 'outcome', 'opening', 'moves'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Wanted {
  /** Words in the opponent's name, its pace or the ending. */
  text: string;
  outcome: Outcome | '';
  colour: Colour | '';
  level: string;
  /** Words in the code or name of the opening. */
  opening: string;
  /** A position that the game reached, FEN. */
  position: string;
  /** First and last day, `2026-11-30`. */
  from: string;
  to: string;
  sort: Column;
  /** True from the largest down. */
  falling: boolean;
  /** From 0. */
  page: number;
}

export const EVERYTHING: Wanted = { text: '', outcome: '', colour: '', level: '', opening: '', position: '', from: '', to: '', sort: 'started', falling: true, page: 0 };

/** Rows on one page: enough to scroll through, few enough to be drawn at once. */
export const PAGE = 100;

export function outcomeOf({ result, person }: GameSummary): Outcome {
  if (result === '1/2-1/2') return 'drawn';
  if (result !== '1-0' && result !== '0-1') return 'unfinished';
  return (result === '1-0') === (person === 'white') ? 'won' : 'lost';
}

export function movesOf({ plies }: GameSummary): number {
  return Math.ceil(plies / 2);
}

/** The day of a moment in the reader's time zone, `2026-11-30`: days in this form are in order as texts. */
export function dayOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/** The opponents by level, in order of their names. */
export function levelsOf(games: readonly GameSummary[]): string[] {
  return [...new Set(games.flatMap(({ level }) => level ?? []))].sort(NAMES.compare);
}

/** The measured ratings of opponents, by the names of their levels. */
export type Ratings = ReadonlyMap<string, number>;

export function ratingsOf(levels: readonly Level[]): Ratings {
  return new Map(levels.flatMap(({ name, measurement }) => (measurement ? [[name, measurement.elo] as const] : [])));
}

/** Openings by game; a game whose opening has no name is missing. */
export type OpeningsOfGames = ReadonlyMap<string, Opening>;

/** The openings of games, from their first moves. */
export function openingsOfGames(games: readonly GameSummary[], names: Openings): OpeningsOfGames {
  return new Map(
    games.flatMap(({ id, first_moves: moves }): [string, Opening][] => {
      const opening = openingOf(names, fensOf(INITIAL_FEN, moves));
      return opening ? [[id, opening]] : [];
    }),
  );
}

/** `C50 Italian Game`; empty without a name. */
export function openingText(opening: Opening | undefined): string {
  return opening ? `${opening.code} ${opening.name}` : '';
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** The games that are wanted, in the wanted order. The server has found those with the wanted position. */
export function selected(games: readonly GameSummary[], wanted: Wanted, openings: OpeningsOfGames = new Map(), ratings: Ratings = new Map()): GameSummary[] {
  const [words, ofOpening] = [wordsOf(wanted.text), wordsOf(wanted.opening)];
  const found = games.filter((game) => {
    if (wanted.outcome && outcomeOf(game) !== wanted.outcome) return false;
    if (wanted.colour && game.person !== wanted.colour) return false;
    if (wanted.level && game.level !== wanted.level) return false;
    const day = wanted.from || wanted.to ? dayOf(game.started) : '';
    if (wanted.from && day < wanted.from) return false;
    if (wanted.to && day > wanted.to) return false;
    const text = `${opponentName(game)} ${game.opponent} ${game.pace} ${game.end ?? ''}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) return false;
    const opening = ofOpening.length > 0 ? openingText(openings.get(game.id)).toLowerCase() : '';
    return ofOpening.every((word) => opening.includes(word));
  });
  const sign = wanted.falling ? -1 : 1;
  // Games that are equal in the column: the newest first.
  return found.sort((one, other) => sign * compared(one, other, wanted.sort, openings, ratings) || other.started - one.started);
}

function compared(one: GameSummary, other: GameSummary, column: Column, openings: OpeningsOfGames, ratings: Ratings): number {
  switch (column) {
    case 'started':
      return one.started - other.started;
    case 'moves':
      return movesOf(one) - movesOf(other);
    case 'outcome':
      return OUTCOMES.indexOf(outcomeOf(other)) - OUTCOMES.indexOf(outcomeOf(one));
    case 'rating':
      return (ratings.get(one.level ?? '') ?? 0) - (ratings.get(other.level ?? '') ?? 0);
    case 'colour':
      return one.person.localeCompare(other.person);
    case 'opening':
      return NAMES.compare(openingText(openings.get(one.id)), openingText(openings.get(other.id)));
    case 'opponent':
      return NAMES.compare(opponentName(one), opponentName(other));
  }
}

/** How many of the games ended in which way. */
export function countsOf(games: readonly GameSummary[]): Record<Outcome, number> {
  const counts: Record<Outcome, number> = { won: 0, drawn: 0, lost: 0, unfinished: 0 };
  for (const game of games) counts[outcomeOf(game)] += 1;
  return counts;
}

/** The sum of the games in a sentence. */
export function countsText(games: readonly GameSummary[]): string {
  const { won, drawn, lost, unfinished } = countsOf(games);
  const ended = won + drawn + lost;
  const number = (value: number) => value.toLocaleString('en');
  const parts = [`${number(won)} won`, `${number(drawn)} drawn`, `${number(lost)} lost`, ...(unfinished > 0 ? [`${number(unfinished)} unfinished`] : [])];
  const score = ended > 0 ? `, ${((100 * (won + drawn / 2)) / ended).toFixed(1)} % of the points` : '';
  return `${number(games.length)} ${games.length === 1 ? 'game' : 'games'}: ${parts.join(', ')}${score}`;
}

/** What is wanted, from an address; anything that is not understood is as usual. */
export function wantedOf(query: URLSearchParams): Wanted {
  const one = <T extends string>(name: string, options: readonly T[]): T | '' => options.find((option) => option === query.get(name)) ?? '';
  const day = (name: string) => (/^\d{4}-\d\d-\d\d$/.test(query.get(name) ?? '') ? (query.get(name) ?? '') : '');
  const sort = query.get('sort') ?? '';
  return {
    text: query.get('q') ?? '',
    outcome: one('result', OUTCOMES),
    colour: one('colour', ['white', 'black']),
    level: query.get('level') ?? '',
    opening: query.get('opening') ?? '',
    position: query.get('fen') ?? '',
    from: day('from'),
    to: day('to'),
    sort: COLUMNS.find((column) => column === sort.replace('-', '')) ?? EVERYTHING.sort,
    falling: sort === '' ? EVERYTHING.falling : sort.startsWith('-'),
    page: Math.max(0, (Number.parseInt(query.get('page') ?? '', 10) || 1) - 1),
  };
}

/** The address of what is wanted: only what is not as usual. */
export function queryOf(wanted: Wanted): string {
  const sort = `${wanted.falling ? '-' : ''}${wanted.sort}`;
  const parts: [string, string][] = [
    ['q', wanted.text],
    ['result', wanted.outcome],
    ['colour', wanted.colour],
    ['level', wanted.level],
    ['opening', wanted.opening],
    ['fen', wanted.position],
    ['from', wanted.from],
    ['to', wanted.to],
    ['sort', sort === '-started' ? '' : sort],
    ['page', wanted.page > 0 ? String(wanted.page + 1) : ''],
  ];
  return new URLSearchParams(parts.filter(([, value]) => value !== '')).toString();
}
