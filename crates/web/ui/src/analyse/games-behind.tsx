/** The games behind a count of an opening table, the strongest players first. A click opens one on the board, at the position. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { OpeningGame, OpeningGames, OpeningMove } from '../server/types.ts';
import { countText, plural } from './numbers.ts';
import { listedAddress } from './place.ts';
import { useAnswer } from './use-answer.ts';

/** Games shown at a time. */
const PAGE = 20;
/** Games that the server lists of a position. */
const MOST = 1000;

interface Props {
  /** The table's id. */
  table: string;
  /** The position and the filter, as a query. */
  query: string;
  /** The move of which games are listed; `null` for all. */
  move: OpeningMove | null;
  /** Lists the games of all moves. */
  onAll: () => void;
}

export function GamesBehind({ table, query, move, onAll }: Props) {
  const which = `/openings/${encodeURIComponent(table)}/games?${query}${move ? `&uci=${move.uci}` : ''}`;
  /** The part of the list that is shown belongs to one question: another begins with the strongest. */
  const [place, setPlace] = useState({ which, from: 0 });
  const from = place.which === which ? place.from : 0;
  const { answer, fresh, problem } = useAnswer<OpeningGames>(`${which}&from=${from}&most=${PAGE}`);
  const section = useRef<HTMLElement>(null);
  const seen = useRef(false);
  // The table, and the button that was pressed, may fill the tab. A step to another position, where nobody pressed it, lists all moves again.
  useLayoutEffect(() => {
    if (!answer || (seen.current && !move)) return;
    seen.current = true;
    section.current?.scrollIntoView({ block: 'nearest' });
  }, [answer !== null, move]);
  if (problem) return <p class="problem">{problem}</p>;
  if (!answer) return <p class="note">Loading the games ...</p>;
  const last = Math.min(answer.total, MOST);
  return (
    <section class="games-behind" aria-label="Which games" ref={section} data-stale={!fresh || undefined}>
      <p class="note">
        {plural(answer.total, 'game')}
        {move ? ` with ${move.san}` : ''}, the strongest players first
        {answer.total > MOST ? `; the first ${countText(MOST)} can be listed` : ''}.{' '}
        {move && (
          <button type="button" class="link" onClick={onAll}>
            All moves
          </button>
        )}
      </p>
      <ul class="plain-list">
        {answer.games.map((game, index) => (
          <li key={from + index}>
            <a href={listedAddress(game)}>
              <span>{playersText(game)}</span>
              <span class="figure">{move ? '' : game.san}</span>
              <span class="figure">{game.result}</span>
              <span class="figure note">{game.year ?? ''}</span>
            </a>
          </li>
        ))}
      </ul>
      {last > PAGE && (
        <div class="button-row">
          <button type="button" disabled={from === 0} onClick={() => setPlace({ which, from: from - PAGE })}>
            Before
          </button>
          <span class="note">
            {countText(from + 1)} to {countText(Math.min(from + PAGE, last))}
          </span>
          <button type="button" disabled={from + PAGE >= last} onClick={() => setPlace({ which, from: from + PAGE })}>
            Next
          </button>
        </div>
      )}
    </section>
  );
}

/** Both players with their ratings, such as `Anna 2000 – Bert`. */
export function playersText(game: Pick<OpeningGame, 'white' | 'black' | 'white_rating' | 'black_rating'>): string {
  const named = (name: string | null, rating: number | null) => [name ?? '?', rating].filter((part) => part !== null).join(' ');
  return `${named(game.white, game.white_rating)} – ${named(game.black, game.black_rating)}`;
}
