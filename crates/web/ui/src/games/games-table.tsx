/** The rows of the list of games; the heads of the columns sort. */

import type { GameSummary } from '../server/types.ts';
import { opponentName, startedText } from '../shell/game-texts.ts';
import { type Column, movesOf, openingText, outcomeOf } from './game-list.ts';
import type { Games } from './use-games.ts';

const HEADS: [column: Column, title: string, kind?: string][] = [
  ['started', 'Date'],
  ['opponent', 'Opponent'],
  ['rating', 'Rating', 'number rating-column'],
  ['colour', 'You'],
  ['outcome', 'Result'],
  ['opening', 'Opening', 'opening-column'],
  ['moves', 'Moves', 'number'],
];

export function GamesTable({ games }: { games: Games }) {
  const { rows, wanted, want, openings, ratings } = games;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Games">
      <table class="games-table">
        <thead>
          <tr>
            {HEADS.map(([column, title, kind]) => {
              const current = wanted.sort === column;
              return (
                <th key={column} scope="col" class={kind} aria-sort={current ? (wanted.falling ? 'descending' : 'ascending') : undefined}>
                  <button type="button" class="link sort" onClick={() => want({ sort: column, falling: current ? !wanted.falling : column !== 'opponent' && column !== 'opening' })}>
                    {title}
                  </button>
                </th>
              );
            })}
            <th scope="col" class="ending-column">
              Ending
            </th>
            <th scope="col">
              <span class="sr-only">Analyse</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((game) => (
            <Row key={game.id} game={game} opening={openingText(openings.get(game.id))} rating={ratings.get(game.level ?? '')} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ game, opening, rating }: { game: GameSummary; opening: string; rating: number | undefined }) {
  const outcome = outcomeOf(game);
  return (
    <tr>
      <th scope="row">
        <a href={`/play/${game.id}`}>{startedText(game)}</a>
      </th>
      <td title={game.opponent}>
        {opponentName(game)} <span class="note">{game.pace}</span>
      </td>
      <td class="number rating-column">{rating === undefined ? '' : Math.round(rating)}</td>
      <td>{game.person === 'white' ? 'White' : 'Black'}</td>
      <td class="game-outcome" data-outcome={outcome}>
        {outcome} {outcome !== 'unfinished' && <span class="note figure">{game.result}</span>}
      </td>
      <td class="opening-column">{opening}</td>
      <td class="number">{movesOf(game)}</td>
      <td class="ending-column">
        <span class="note">{[game.end, game.help && 'with help'].filter(Boolean).join(', ')}</span>
      </td>
      <td>
        <a href={`/analyse/${game.id}`}>analyse</a>
      </td>
    </tr>
  );
}
