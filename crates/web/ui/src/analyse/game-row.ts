/** A game in a list of many: its round, who had which colour, the result, the length and the opening. */

import { type Openings, openingOf } from '../chess/openings.ts';
import { playerNames } from '../shell/engine-name.ts';
import { numbered, plural } from './numbers.ts';
import { type GameTree, mainLine } from './tree.ts';

export interface GameRow {
  /** The round, or else the place in the file. */
  round: string;
  /** White, then Black; the first moves of a game without names. */
  players: string;
  result: string;
  length: string;
  /** Empty while the names of openings have not arrived, if the file does not have it. */
  opening: string;
  /** Event and date. */
  occasion: string;
}

/** Half-moves after which no opening has a name of its own. */
const LONGEST_OPENING = 40;

/** A header with something in it: `?`, `????.??.??` and `-` say that nothing is known. */
function headerOf({ headers }: GameTree, name: string): string {
  const text = headers.get(name) ?? '';
  return /^[?.*-]*$/.test(text) ? '' : text;
}

export function gameRow(game: GameTree, index: number, openings: Openings | null): GameRow {
  const header = (name: string) => headerOf(game, name);
  const line = mainLine(game.root).slice(1);
  const named = header('White') || header('Black');
  const [white, black] = playerNames([{ name: header('White') || 'White' }, { name: header('Black') || 'Black' }]);
  const found = openings && openingOf(openings, line.slice(0, LONGEST_OPENING).map((node) => node.fen));
  // A match writes the position it began with as its opening.
  const written = header('Opening');
  return {
    round: header('Round') || String(index + 1),
    players: named ? `${white} - ${black}` : firstMoves(game),
    result: header('Result'),
    length: lengthText(line.length),
    opening: found?.name ?? (written.includes('/') ? '' : written),
    occasion: [header('Event'), header('UTCDate') || header('Date')].filter(Boolean).join(', '),
  };
}

/** All that a list is searched for. */
export function rowText(row: GameRow): string {
  return Object.values(row).join(' ').toLowerCase();
}

/** A game in one line. */
export function gameName(game: GameTree): string {
  const { players, occasion, result, length } = gameRow(game, 0, null);
  return [players, occasion, result, length].filter(Boolean).join(', ');
}

function firstMoves({ root }: GameTree): string {
  return numbered(mainLine(root).slice(1, 5).map((node) => node.san), root.fen).join(' ');
}

/** The length of a game. */
export function lengthText(plies: number): string {
  return plies > 0 ? plural(Math.ceil(plies / 2), 'move') : 'a position';
}
