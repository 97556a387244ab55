/**
 * Moves played here in games that the reader has: counts, results, ratings and years from a table, next to the network's
 * policy. A click plays the move.
 */

import { useEffect, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import { explain, get, post } from '../server/request.ts';
import type { NetworkJudgement, OpeningMove, OpeningsView } from '../server/types.ts';
import { remember, remembered } from '../settings.ts';
import { plural } from './numbers.ts';
import { OpeningTables } from './opening-tables.tsx';
import { PlayedMoves, gamesOf, rowsOf } from './played-moves.tsx';
import { useAnalysis } from './store.tsx';

const KEY = 'tabiya.openings';

/** The server's name for the table of the games that were played on the page, the only ones that it can list. */
const PLAYED_HERE = 'Games played here';

export function OpeningsTab() {
  const { fen } = useAnalysis('game').node;
  const { listed } = useAnalysis('engine');
  const { view, setView, problem } = useTables();
  const [chosen, setChosen] = useState(() => remembered(KEY, { table: '' }).table);
  const [managing, setManaging] = useState(false);
  const choose = (id: string) => {
    setChosen(id);
    remember(KEY, { table: id });
  };
  const ready = view?.tables.filter((table) => table.ready) ?? [];
  const table = ready.find((one) => one.id === chosen) ?? ready[0];
  const moves = useMoves(table && `/openings/${encodeURIComponent(table.id)}/moves?fen=${encodeURIComponent(fen)}`);
  const priors = usePriors(listed, fen);
  if (problem) return <p class="problem">{problem}</p>;
  if (!view) return <p class="note">Looking for opening tables ...</p>;
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
      </div>
      {(managing || ready.length === 0) && <OpeningTables view={view} onView={setView} onBegun={choose} />}
      {moves.problem && <p class="problem">{moves.problem}</p>}
      {table && moves.answer && <PlayedMoves rows={rowsOf(moves.answer, priors)} whole={whole} weights={table.weights} stale={!moves.fresh} />}
      {table && moves.answer && (
        <p class="note">
          {moves.answer.length === 0 ? 'This position is not in the table. ' : ''}
          {table.weights
            ? `A book of ${plural(table.positions, 'position')}.`
            : `${plural(whole, 'game')} here, of ${plural(table.games, 'game')}; the first ${table.plies} half-moves of each.`}
          {table.name === PLAYED_HERE && whole > 0 && (
            <>
              {' '}
              <a href={`/play/games?${new URLSearchParams({ fen })}`}>Which games</a>
            </>
          )}
        </p>
      )}
    </div>
  );
}

/** The tables that the server has. */
function useTables() {
  const [view, setView] = useState<OpeningsView | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(
    () =>
      live.listen('openings', (data) => {
        if (data && typeof data === 'object' && 'refused' in data) return setProblem(explain(data.refused));
        setProblem(null);
        setView(data as OpeningsView);
      }),
    [],
  );
  return { view, setView, problem };
}

/** The server's latest answer, and whether it answers the current question. */
function useMoves(path: string | undefined): { answer: OpeningMove[] | null; fresh: boolean; problem: string | null } {
  const [state, setState] = useState<{ path: string; answer: OpeningMove[] | null; problem: string | null } | null>(null);
  useEffect(() => {
    if (!path) return undefined;
    let replaced = false;
    const done = (answer: OpeningMove[] | null, problem: string | null) => {
      if (!replaced) setState({ path, answer, problem });
    };
    get<OpeningMove[]>(path).then(
      (answer) => done(answer, null),
      (error: unknown) => done(null, explain(error)),
    );
    return () => {
      replaced = true;
    };
  }, [path]);
  return { answer: state?.answer ?? null, fresh: state?.path === path, problem: state?.problem ?? null };
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
