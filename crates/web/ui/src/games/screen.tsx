/** All games played on the page: filtered by opponent, result, colour, level, opening, position and date, sorted, a hundred at a time. */

import type { ComponentChildren } from 'preact';
import { useTitle } from '../shell/title.ts';
import '../../styles/games.css';
import { OUTCOMES, PAGE, countsText, levelsOf } from './game-list.ts';
import { GamesTable } from './games-table.tsx';
import { type Games, useGames } from './use-games.ts';

export function GamesScreen() {
  useTitle('Games');
  const games = useGames();
  const { games: all, problems, found, wanted } = games;
  const any = (all?.length ?? 0) > 0 || wanted.position !== '';
  return (
    <main class="text-page">
      <p class="trail">
        <a href="/?new=1">Play</a>
      </p>
      <h1>Games</h1>
      {problems.map((problem) => (
        <p key={problem} class="problem">
          {problem}
        </p>
      ))}
      {all && !any && (
        <div class="empty">
          <h2>No games yet</h2>
          <p>Every game that you play here is kept and appears in this list.</p>
          <a class="button primary" href="/?new=1">
            Start a game
          </a>
        </div>
      )}
      {all && any && (
        <>
          <Filters games={games} />
          <p class="figure" role="status">
            {games.misread ?? (found.length > 0 ? countsText(found) : 'No game has all of this.')}
          </p>
          {found.length > 0 && <GamesTable games={games} />}
          <Pages games={games} />
        </>
      )}
    </main>
  );
}

function Filters({ games }: { games: Games }) {
  const { games: all, wanted, want, clear, misread } = games;
  const levels = levelsOf(all ?? []);
  return (
    <form class="game-filters" onSubmit={(event) => event.preventDefault()}>
      <Filter label="Opponent">
        <input type="search" value={wanted.text} onInput={(event) => want({ text: event.currentTarget.value })} />
      </Filter>
      <Filter label="Result">
        <select value={wanted.outcome} onChange={(event) => want({ outcome: OUTCOMES.find((one) => one === event.currentTarget.value) ?? '' })}>
          <option value="">any</option>
          {OUTCOMES.map((outcome) => (
            <option key={outcome} value={outcome}>
              {outcome}
            </option>
          ))}
        </select>
      </Filter>
      <Filter label="Your colour">
        <select value={wanted.colour} onChange={(event) => want({ colour: event.currentTarget.value === 'white' || event.currentTarget.value === 'black' ? event.currentTarget.value : '' })}>
          <option value="">any</option>
          <option value="white">White</option>
          <option value="black">Black</option>
        </select>
      </Filter>
      <Filter label="Level">
        <select value={wanted.level} onChange={(event) => want({ level: event.currentTarget.value })}>
          <option value="">any</option>
          {levels.map((level) => (
            <option key={level} value={level}>
              {level}
            </option>
          ))}
        </select>
      </Filter>
      <Filter label="Opening">
        <input type="search" placeholder="Sicilian, B90" value={wanted.opening} onInput={(event) => want({ opening: event.currentTarget.value })} />
      </Filter>
      <Filter label="Position">
        <input type="search" placeholder="FEN" aria-invalid={misread !== null} title={misread ?? undefined} value={wanted.position} onInput={(event) => want({ position: event.currentTarget.value })} />
      </Filter>
      <Filter label="From">
        <input type="date" value={wanted.from} max={wanted.to || undefined} onChange={(event) => want({ from: event.currentTarget.value })} />
      </Filter>
      <Filter label="To">
        <input type="date" value={wanted.to} min={wanted.from || undefined} onChange={(event) => want({ to: event.currentTarget.value })} />
      </Filter>
      <button type="button" onClick={clear}>
        All games
      </button>
    </form>
  );
}

function Filter({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <label class="game-filter">
      <span>{label}</span>
      {children}
    </label>
  );
}

/** The way to the other rows: thousands of them at once would make the page slow. */
function Pages({ games }: { games: Games }) {
  const { found, pages, shown, want } = games;
  if (pages < 2) return null;
  const first = shown * PAGE;
  const number = (value: number) => value.toLocaleString('en');
  return (
    <nav class="button-row" aria-label="Pages of the list">
      <button type="button" disabled={shown === 0} onClick={() => want({ page: shown - 1 })}>
        Previous
      </button>
      <span class="figure">
        {number(first + 1)} to {number(Math.min(first + PAGE, found.length))} of {number(found.length)}
      </span>
      <button type="button" disabled={shown === pages - 1} onClick={() => want({ page: shown + 1 })}>
        Next
      </button>
    </nav>
  );
}
