/**
 * Moves played here in games that the reader has: counts, results, ratings and years from a table, next to the network's
 * policy. A click plays the move.
 */

import { useEffect, useState } from 'preact/hooks';
import { post } from '../server/request.ts';
import type { NetworkJudgement, OpeningMove } from '../server/types.ts';
import { remember, remembered } from '../settings.ts';
import { plural } from './numbers.ts';
import { GamesBehind } from './games-behind.tsx';
import { OpeningTables, WithoutGames } from './opening-tables.tsx';
import { NO_FILTER, PlayedFilter, filterQuery, filters } from './played-filter.tsx';
import { PlayedMoves, gamesOf, rowsOf } from './played-moves.tsx';
import { useAnalysis } from './store.tsx';
import { useAnswer } from './use-answer.ts';
import { useTables } from './use-tables.ts';

const KEY = 'tabiya.openings';

/** The server's name for the table of the games that were played on the page, which have a list of their own. */
const PLAYED_HERE = 'Games played here';

export function OpeningsTab() {
  const { fen } = useAnalysis('game').node;
  const { listed: network } = useAnalysis('engine');
  const { quiet } = useAnalysis('solving');
  const [managing, setManaging] = useState(false);
  const { view, setView, problem } = useTables(managing);
  const [chosen, setChosen] = useState(() => remembered(KEY, { table: '' }).table);
  const [filter, setFilter] = useState(NO_FILTER);
  const [filtering, setFiltering] = useState(false);
  /** The move whose games are listed, `null` for all moves; they belong to one position, the open list does not. */
  const [behind, setBehind] = useState<{ fen: string; move: OpeningMove | null } | null>(null);
  const choose = (id: string) => {
    setChosen(id);
    remember(KEY, { table: id });
  };
  const ready = view?.tables.filter((table) => table.ready) ?? [];
  const table = ready.find((one) => one.id === chosen) ?? ready[0];
  const applied = table?.listed ? filter : NO_FILTER;
  const moves = useAnswer<OpeningMove[]>(table && `/openings/${encodeURIComponent(table.id)}/moves?${filterQuery(fen, applied)}`);
  const priors = usePriors(quiet ? '' : network, fen);
  if (problem) return <p class="problem">{problem}</p>;
  if (!view) return <p class="note">Loading opening tables ...</p>;
  const whole = moves.answer?.reduce((sum, move) => sum + gamesOf(move), 0) ?? 0;
  return (
    <div class="openings">
      <div class="button-row">
        {ready.length > 0 && (
          <select
            aria-label="Table"
            value={table?.id}
            onChange={(event) => choose(event.currentTarget.value)}
          >
            {ready.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </select>
        )}
        {ready.length > 0 && (
          <button type="button" aria-expanded={managing} onClick={() => setManaging(!managing)}>
            Tables ...
          </button>
        )}
        {table?.listed && (
          <button type="button" aria-expanded={filtering} onClick={() => setFiltering(!filtering)}>
            Filter
          </button>
        )}
      </div>
      {table?.listed && (filtering || filters(filter)) && <PlayedFilter filter={filter} onFilter={setFilter} />}
      {(managing || ready.length === 0) && <OpeningTables view={view} onView={setView} onBegun={choose} />}
      {moves.problem && <p class="problem">{moves.problem}</p>}
      {table && moves.answer && <PlayedMoves rows={rowsOf(moves.answer, priors)} whole={whole} weights={table.weights} stale={!moves.fresh} onGames={table.listed ? (move) => setBehind({ fen, move }) : undefined} />}
      {table && moves.answer && (
        <p class="note">
          {moves.answer.length === 0 ? (filters(applied) ? 'No game here fits the filter. ' : 'This position is not in the table. ') : ''}
          {table.weights
            ? `A book of ${plural(table.positions, 'position')}.`
            : `${plural(whole, 'game')} here, of ${plural(table.games, 'game')}; the first ${table.plies} half-moves of each. Other orders of moves are included.`}{' '}
          {table.listed && whole > 0 && (
            <button type="button" class="link" aria-expanded={behind !== null} onClick={() => setBehind(behind ? null : { fen, move: null })}>
              Which games
            </button>
          )}
          {table.name === PLAYED_HERE && whole > 0 && (
            <>
              {' '}
              <a href={`/play/games?${new URLSearchParams({ fen })}`}>In your list</a>
            </>
          )}
        </p>
      )}
      {table?.older && <WithoutGames key={table.id} table={table} view={view} onView={setView} />}
      {table?.listed && behind && whole > 0 && (
        <GamesBehind table={table.id} query={filterQuery(fen, filter)} move={behind.fen === fen ? behind.move : null} onAll={() => setBehind({ fen, move: null })} />
      )}
    </div>
  );
}

/** The network's policy; empty until it is known. */
function usePriors(network: string, fen: string): NetworkJudgement['positions'][number]['moves'] {
  const [judged, setJudged] = useState<{ fen: string; network: string; moves: NetworkJudgement['positions'][number]['moves'] } | null>(null);
  useEffect(() => {
    if (!network) return undefined;
    let replaced = false;
    // A network that cannot be used says so in the engine's panel.
    post<NetworkJudgement[]>('/judgements', { networks: [network], positions: [{ fen, moves: [] }] }).then(
      ([answer]) => {
        if (!replaced) setJudged({ fen, network, moves: answer?.positions[0]?.moves ?? [] });
      },
      () => undefined,
    );
    return () => {
      replaced = true;
    };
  }, [network, fen]);
  return judged?.fen === fen && judged.network === network ? judged.moves : [];
}
