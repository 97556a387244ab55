/** The moves played in a position, one a row: how often, by whom, with which results, and the network's prior. */

import type { OpeningMove } from '../server/types.ts';
import { countText, wholePercents } from './numbers.ts';
import { useAnalysis } from './store.tsx';

/** Moves that nobody played are shown if the network gives them at least this prior. */
const LEAST_PRIOR = 0.05;
/** Bars narrower than this have no figure. */
const LEAST_FIGURE = 14;

interface Row {
  uci: string;
  san: string;
  prior: number | null;
  games: number;
  played: OpeningMove | null;
}

interface Props {
  rows: readonly Row[];
  /** Number of games, or sum of weights, of all moves. */
  whole: number;
  /** True if the table is a book, which has weights instead of games. */
  weights: boolean;
  /** True if the rows still belong to the previous position. */
  stale: boolean;
  /** Shows the games behind a count, of one move or of all (`null`); absent if the table has none. */
  onGames?: ((move: OpeningMove | null) => void) | undefined;
}

export function PlayedMoves({ rows, whole, weights, stale, onGames }: Props) {
  const { hover } = useAnalysis('point');
  const { move } = useAnalysis('solving');
  const rated = rows.some(({ played }) => played?.rating);
  const dated = rows.some(({ played }) => played?.years);
  const total = weights ? null : totalOf(rows.flatMap(({ played }) => played ?? []));
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="What was played" data-stale={stale || undefined}>
      <table class="openings-table">
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col" class="number" title={weights ? 'Weight of the book' : 'Games in which it was played here'}>
              {weights ? 'weight' : 'games'}
            </th>
            <th scope="col" class="number" title="Share of all moves played here">
              share
            </th>
            <th scope="col" class="number" title="P: the network's policy, without a search">
              P
            </th>
            {!weights && <th scope="col" title="Games won by White, drawn, and won by Black, in percent">White · draw · Black</th>}
            {rated && (
              <th scope="col" class="number" title="Mean rating of those who played it">
                rating
              </th>
            )}
            {dated && <th scope="col">years</th>}
          </tr>
        </thead>
        <tbody onPointerLeave={() => hover(null)}>
          {rows.map(({ uci, san, prior, games, played }) => (
            <tr key={uci} data-new={played ? undefined : true} onPointerEnter={() => hover(uci)}>
              <th scope="row">
                <button type="button" class="move" onClick={() => move(uci)} onFocus={() => hover(uci)} onBlur={() => hover(null)}>
                  {san}
                </button>
              </th>
              <td class="number">{played && <Count games={games} onGames={onGames && (() => onGames(played))} />}</td>
              <td class="number">{played ? share(games / whole) : ''}</td>
              <td class="number">{prior === null ? '' : share(prior)}</td>
              {!weights && <td>{played ? <ResultBar move={played} /> : <span class="note">not played</span>}</td>}
              {rated && <td class="number">{played?.rating ?? ''}</td>}
              {dated && <td>{played?.years ? yearsText(played.years) : ''}</td>}
            </tr>
          ))}
        </tbody>
        {total && <Total total={total} rated={rated} dated={dated} onGames={onGames && (() => onGames(null))} />}
      </table>
    </div>
  );
}

/** All games of the position, below their moves. */
function Total({ total, rated, dated, onGames }: { total: Results; rated: boolean; dated: boolean; onGames: (() => void) | undefined }) {
  return (
    <tfoot>
      <tr>
        <th scope="row">all</th>
        <td class="number">
          <Count games={gamesOf(total)} onGames={onGames} />
        </td>
        <td />
        <td />
        <td>
          <ResultBar move={total} />
        </td>
        {rated && <td />}
        {dated && <td>{total.years ? yearsText(total.years) : ''}</td>}
      </tr>
    </tfoot>
  );
}

/** A number of games, which can be shown if the table has them. */
function Count({ games, onGames }: { games: number; onGames: (() => void) | undefined }) {
  if (!onGames) return <>{countText(games)}</>;
  return (
    <button type="button" class="link" title="Which games" onClick={onGames}>
      {countText(games)}
    </button>
  );
}

type Results = Pick<OpeningMove, 'white' | 'draws' | 'black' | 'unknown' | 'years'>;

/** The sums over several moves; null if there are fewer than two, whose row says all. */
export function totalOf(moves: readonly OpeningMove[]): Results | null {
  if (moves.length < 2) return null;
  const sum = (part: 'white' | 'draws' | 'black' | 'unknown') => moves.reduce((all, move) => all + move[part], 0);
  const years = moves.flatMap((move) => move.years ?? []);
  return {
    white: sum('white'),
    draws: sum('draws'),
    black: sum('black'),
    unknown: sum('unknown'),
    years: years.length > 0 ? [Math.min(...years), Math.max(...years)] : null,
  };
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

export function gamesOf(move: Results): number {
  return move.white + move.draws + move.black + move.unknown;
}

function share(part: number): string {
  return part > 0 && part < 0.01 ? '<1 %' : `${Math.round(100 * part)} %`;
}

function yearsText([first, last]: readonly [number, number]): string {
  return first === last ? String(first) : `${first}–${last}`;
}

function ResultBar({ move }: { move: Results }) {
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
