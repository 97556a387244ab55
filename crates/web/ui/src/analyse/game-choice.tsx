/** The games of a file to choose from, a row each. */

import { useMemo } from 'preact/hooks';
import { useOpenings } from '../chess/use-opening.ts';
import { gameName, gameRow, rowText } from './game-row.ts';
import type { GameTree } from './tree.ts';

/** Maximum number of games in the list; the filter finds the others. */
const LONGEST_LIST = 200;

interface Props {
  games: GameTree[];
  filter: string;
  onGame: (game: GameTree) => void;
  /** True if the games are the readable part of a text with a fault. */
  rest: boolean;
}

export function GameChoice({ games, filter, onGame, rest }: Props) {
  const openings = useOpenings(games.length > 1);
  const rows = useMemo(() => games.map((game, index) => ({ game, row: gameRow(game, index, openings) })), [games, openings]);
  const [only] = games;
  if (rest && only && games.length === 1) {
    return (
      <p class="import-list">
        <button type="button" onClick={() => onGame(only)}>
          Load what was read: {gameName(only)}
        </button>
      </p>
    );
  }
  const shown = rows.filter(({ row }) => rowText(row).includes(filter.toLowerCase()));
  return (
    <>
      <ul class="import-list">
        {shown.slice(0, LONGEST_LIST).map(({ game, row }, index) => (
          <li key={index}>
            <button type="button" class="game-row" onClick={() => onGame(game)}>
              <span class="figure">{row.round}</span>
              <span title={[row.players, row.occasion].filter(Boolean).join(', ')}>{row.players}</span>
              <span class="figure">{row.result}</span>
              <span class="figure">{row.length}</span>
              <span class="note">{row.opening || row.occasion}</span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length > LONGEST_LIST && (
        <p class="note">
          {LONGEST_LIST} of {shown.length} games; the filter finds the others.
        </p>
      )}
    </>
  );
}
