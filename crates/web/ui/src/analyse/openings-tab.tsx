/**
 * Moves played here in games that the reader has: counts, results, ratings and years from a table, next to the network's
 * policy. A click plays the move.
 */

import { useEffect, useState } from 'preact/hooks';
import { explain, get, post } from '../server/request.ts';
import type { NetworkJudgement, OpeningMove, OpeningsView } from '../server/types.ts';
import { live } from '../server/live.ts';
import { remember, remembered } from '../settings.ts';
import { countText, plural, wholePercents } from './numbers.ts';
import { OpeningTables } from './opening-tables.tsx';

/** Moves that nobody played are shown if the network gives them at least this prior. */
const LEAST_PRIOR = 0.05;
/** Bars narrower than this have no figure. */
const LEAST_FIGURE = 14;
const KEY = 'tabiya.openings';

interface Props {
  fen: string;
  network: string;
  onHover: (uci: string | null) => void;
  onMove: (uci: string) => void;
}

interface Row {
  uci: string;
  san: string;
  prior: number | null;
  games: number;
  played: OpeningMove | null;
}

export function OpeningsTab({ fen, network, onHover, onMove }: Props) {
  const [view, setView] = useState<OpeningsView | null>(null);
  const [chosen, setChosen] = useState(() => remembered(KEY, { table: '' }).table);
  const [managing, setManaging] = useState(false);
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
  const ready = view?.tables.filter((table) => table.ready) ?? [];
  const table = ready.find((one) => one.id === chosen) ?? ready[0];
  const moves = useMoves(table && `/openings/${encodeURIComponent(table.id)}/moves?fen=${encodeURIComponent(fen)}`);
  const priors = usePriors(network, fen);
  if (problem) return <p class="problem">{problem}</p>;
  if (!view) return <p class="note">Looking for opening tables ...</p>;
  const rows = rowsOf(moves.answer ?? [], priors);
  const whole = moves.answer?.reduce((sum, move) => sum + gamesOf(move), 0) ?? 0;
  const rated = rows.some(({ played }) => played?.rating);
  const dated = rows.some(({ played }) => played?.years);
  return (
    <div class="openings">
      <div class="button-row">
        {ready.length > 0 && (
          <select
            aria-label="Table"
            value={table?.id}
            onChange={(event) => {
              setChosen(event.currentTarget.value);
              remember(KEY, { table: event.currentTarget.value });
            }}
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
      {(managing || ready.length === 0) && <OpeningTables view={view} onView={setView} />}
      {moves.problem && <p class="problem">{moves.problem}</p>}
      {table && moves.answer && (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="What was played" data-stale={moves.fresh ? undefined : true}>
          <table class="openings-table">
            <thead>
              <tr>
                <th scope="col">Move</th>
                <th scope="col" class="number" title={table.weights ? 'Weight of the book' : 'Games in which it was played here'}>
                  {table.weights ? 'weight' : 'games'}
                </th>
                <th scope="col" class="number" title="Share of all moves played here">
                  share
                </th>
                <th scope="col" class="number" title="P: what the network would play at first sight, without a search">
                  P
                </th>
                {!table.weights && <th scope="col" title="Games won by White, drawn, and won by Black, in percent">White · draw · Black</th>}
                {rated && (
                  <th scope="col" class="number" title="Mean rating of those who played it">
                    rating
                  </th>
                )}
                {dated && <th scope="col">years</th>}
              </tr>
            </thead>
            <tbody onPointerLeave={() => onHover(null)}>
              {rows.map((row) => (
                <tr key={row.uci} data-new={row.played ? undefined : true} onPointerEnter={() => onHover(row.uci)}>
                  <th scope="row">
                    <button type="button" class="move" onClick={() => onMove(row.uci)} onFocus={() => onHover(row.uci)} onBlur={() => onHover(null)}>
                      {row.san}
                    </button>
                  </th>
                  <td class="number">{row.played ? countText(row.games) : ''}</td>
                  <td class="number">{row.played ? share(row.games / whole) : ''}</td>
                  <td class="number">{row.prior === null ? '' : share(row.prior)}</td>
                  {!table.weights && <td>{row.played ? <ResultBar move={row.played} /> : <span class="note">not played</span>}</td>}
                  {rated && <td class="number">{row.played?.rating ?? ''}</td>}
                  {dated && <td>{row.played?.years ? yearsText(row.played.years) : ''}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {table && moves.answer && (
        <p class="note">
          {moves.answer.length === 0 ? 'This position is not in the table. ' : ''}
          {table.weights
            ? `A book of ${plural(table.positions, 'position')}.`
            : `${plural(whole, 'game')} here, of ${plural(table.games, 'game')}; the first ${table.plies} half-moves of each.`}
        </p>
      )}
    </div>
  );
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

export function rowsOf(moves: OpeningMove[], priors: { uci: string; san: string; prior: number }[]): Row[] {
  const played = moves.map((move) => ({
    uci: move.uci,
    san: move.san,
    prior: priors.find((one) => one.uci === move.uci)?.prior ?? null,
    games: gamesOf(move),
    played: move,
  }));
  const rest = priors.filter(({ uci, prior }) => prior >= LEAST_PRIOR && moves.every((move) => move.uci !== uci));
  return [...played, ...rest.map(({ uci, san, prior }) => ({ uci, san, prior, games: 0, played: null }))];
}

export function gamesOf(move: OpeningMove): number {
  return move.white + move.draws + move.black + move.unknown;
}

function share(part: number): string {
  return part > 0 && part < 0.01 ? '<1 %' : `${Math.round(100 * part)} %`;
}

function yearsText([first, last]: readonly [number, number]): string {
  return first === last ? String(first) : `${first}–${last}`;
}

function ResultBar({ move }: { move: OpeningMove }) {
  const known = move.white + move.draws + move.black;
  if (known === 0) return <span class="note">no results</span>;
  const parts = wholePercents({ win: move.white / known, draw: move.draws / known, loss: move.black / known });
  const text = `White won ${parts[0]} %, drawn ${parts[1]} %, Black won ${parts[2]} %`;
  return (
    <span class="result-bar" role="img" aria-label={text} title={text}>
      {(['white', 'draw', 'black'] as const).map((side, index) => {
        const part = parts[index] ?? 0;
        return (
          <span key={side} class={`share-${side}`} style={{ flexGrow: part }}>
            {part >= LEAST_FIGURE ? part : ''}
          </span>
        );
      })}
    </span>
  );
}
