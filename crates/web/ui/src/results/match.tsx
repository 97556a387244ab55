/** A match as a row, and one match with everything its result rests on. */

import { plural } from '../analyse/numbers.ts';
import { playerNames } from '../shell/engine-name.ts';
import { type Elo, type MatchReport, gamesOf, percent, scoreOf, signed } from './reports.ts';

/** Reach of the drawing's scale to each side, in Elo. */
const REACH = 400;

export function MatchRow({ id, report }: { id: string; report: MatchReport }) {
  const [first, second] = playerNames(report.conditions.players);
  const { wins, draws, losses } = report.games;
  return (
    <tr>
      <th scope="row">
        <a href={`/results/match/${encodeURIComponent(id)}`}>
          {first ?? '?'} <span class="note">against</span> {second ?? '?'}
        </a>
        <br />
        <span class="note">
          {id} · {report.conditions.openings}
        </span>
      </th>
      <td class="number">{gamesOf(report.games)}</td>
      <td class="number detail-column">
        {wins} / {draws} / {losses}
      </td>
      <td class="number detail-column">{percent(scoreOf(report.games))}</td>
      <td class="number">
        <EloText elo={report.elo} />
      </td>
      <td class="interval-column">{isKnown(report.elo) && <Interval elo={report.elo as Elo} />}</td>
    </tr>
  );
}

function isKnown(elo: Elo | null): boolean {
  return elo !== null && (elo.lower !== null || elo.upper !== null);
}

/** An end without a number is unbounded: one side has won every game. */
function ends(elo: Elo): [number, number] {
  return [elo.lower ?? -Infinity, elo.upper ?? Infinity];
}

function EloText({ elo }: { elo: Elo | null }) {
  if (!elo || !isKnown(elo)) return <>no interval</>;
  const [low, high] = ends(elo);
  return (
    <>
      {elo.elo === null ? '' : signed(elo.elo)} ({signed(low)} to {signed(high)})<br />
      {low <= 0 && high >= 0 && <span class="note">inconclusive: contains 0</span>}
    </>
  );
}

/** `axis` writes the scale below; in a table the head of the column has it. */
function Interval({ elo, width = 200, axis = false }: { elo: Elo; width?: number; axis?: boolean }) {
  const [low, high] = ends(elo);
  const half = width / 2;
  const at = (value: number) => half + (half * Math.max(-REACH, Math.min(REACH, value))) / REACH;
  const height = axis ? 40 : 20;
  return (
    <svg class="interval" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`${elo.elo === null ? 'no estimate' : signed(elo.elo)}, from ${signed(low)} to ${signed(high)}`}>
      <line class="interval-zero" x1={half} x2={half} y1="0" y2="20" />
      {axis && (
        <>
          <line class="interval-axis" x1="0" x2={width} y1="20.5" y2="20.5" />
          {([[-REACH, 'start'], [0, 'middle'], [REACH, 'end']] as const).map(([value, anchor]) => (
            <text key={value} x={at(value)} y="35" text-anchor={anchor}>
              {value === 0 ? '0' : signed(value)}
            </text>
          ))}
        </>
      )}
      <line class="interval-range" x1={at(low)} x2={at(high)} y1="10" y2="10" />
      {elo.elo !== null && <circle class="interval-value" cx={at(elo.elo)} cy="10" r="4" />}
    </svg>
  );
}

/** Won, drawn and lost by the first player as one bar. */
function Outcomes({ wins, draws, losses }: { wins: number; draws: number; losses: number }) {
  const games = wins + draws + losses;
  if (games === 0) return null;
  return (
    <div class="outcomes" role="img" aria-label={`${wins} won, ${draws} drawn, ${losses} lost`}>
      {([['won', wins], ['drawn', draws], ['lost', losses]] as const).map(([name, count]) => count > 0 && <span key={name} data-outcome={name} style={{ width: `${(100 * count) / games}%` }} />)}
    </div>
  );
}

const PAIR_NAMES = ['0', '1/2', '1', '1 1/2', '2'];

export function MatchDetail({ report }: { report: MatchReport }) {
  const { wins, draws, losses } = report.games;
  const names = playerNames(report.conditions.players);
  const facts: [string, string][] = [
    ['Adjudication', adjudicationText(report)],
    ['Endgame tables', report.conditions.endgames ?? 'none'],
    ['Different games', report.distinct_games === undefined ? '' : String(report.distinct_games)],
    ['Command', commandOf(report)],
  ];
  return (
    <>
      <p class="match-title figure">
        <b>{names.join(' against ')}</b> {percent(scoreOf(report.games))}
      </p>
      <Outcomes wins={wins} draws={draws} losses={losses} />
      <p class="result-line figure">
        {plural(gamesOf(report.games), 'game')}: {wins} won, {draws} drawn, {losses} lost, {percent(scoreOf(report.games))}
      </p>
      <p class="result-line figure">
        Elo <EloText elo={report.elo} />
      </p>
      {report.elo && isKnown(report.elo) && (
        <>
          <Interval elo={report.elo} width={320} axis={true} />
          <p class="note">{likelyText(report.elo.superiority)} that the first is the stronger one</p>
        </>
      )}
      {report.normalized_elo && (
        <p class="note figure">
          Normalized Elo {signed(report.normalized_elo.elo)} ± {report.normalized_elo.error.toFixed(0)}
        </p>
      )}
      {report.sprt && <Sprt sprt={report.sprt} />}
      {report.pairs && report.pairs.some((count) => count > 0) && <Bars title="Pairs of games by the first player's points" names={PAIR_NAMES} counts={report.pairs} />}
      {report.outcomes && <Bars title="Games by result, draws by the material left" names={OUTCOMES.map(([, name]) => name)} counts={OUTCOMES.map(([key]) => report.outcomes?.[key] ?? 0)} />}
      {report.terminations && report.terminations.length > 0 && (
        <Bars title="How the games ended" names={report.terminations.map((one) => terminationName(one, names))} counts={report.terminations.map((one) => one.games)} />
      )}
      <h2>Games</h2>
      <dl class="facts">
        {facts
          .filter(([, text]) => text)
          .map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="figure">{text}</dd>
            </div>
          ))}
      </dl>
    </>
  );
}

function adjudicationText(report: MatchReport): string {
  const rules = report.conditions.adjudication;
  if (!rules) return 'none';
  const parts = [
    rules.max_moves ? `drawn after ${rules.max_moves} moves` : '',
    rules.resign ? `lost at ${rules.resign.centipawns} centipawns for ${rules.resign.moves} moves` : '',
    rules.draw ? 'drawn by agreement of both evaluations' : '',
  ].filter(Boolean);
  return parts.join('; ') || 'none';
}

function commandOf(report: MatchReport): string {
  const players = report.conditions.players.map((player) => player.specification).filter(Boolean);
  return players.length === 2 ? `tabiya match ${players.join(' ')} --games ${gamesOf(report.games)}` : '';
}

const OUTCOMES = [['wins', 'won'], ['pseudo_wins', 'drawn, more material'], ['pseudo_draws', 'drawn, equal material'], ['pseudo_losses', 'drawn, less material'], ['losses', 'lost']] as const;

function terminationName(one: { kind: string; loser: string | null }, names: readonly string[]): string {
  const kind = one.kind.replaceAll('_', ' ');
  const loser = names[['first', 'second'].indexOf(one.loser ?? '')] ?? one.loser;
  return loser ? `${kind}, ${loser} loses` : `${kind} (drawn)`;
}

/** Counts as bars with their names and numbers. */
export function Bars({ title, names, counts }: { title: string; names: string[]; counts: number[] }) {
  const most = Math.max(1, ...counts);
  return (
    <table class="bars" aria-label={title}>
      <caption class="note">{title}</caption>
      <tbody>
        {names.map((name, index) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{counts[index]}</td>
            <td class="bar-cell">
              <span style={{ width: `${(100 * (counts[index] ?? 0)) / most}%` }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The test as a mark between its two bounds. */
function Sprt({ sprt }: { sprt: NonNullable<MatchReport['sprt']> }) {
  const { test, state } = sprt;
  const share = (state.log_likelihood_ratio - state.lower) / (state.upper - state.lower);
  const verdict = state.verdict === null ? 'undecided' : `${state.verdict} accepted`;
  const text = `SPRT ${signed(test.elo0)} against ${signed(test.elo1)} (${test.model}): ${verdict}, LLR ${state.log_likelihood_ratio.toFixed(2)} between ${state.lower.toFixed(2)} and ${state.upper.toFixed(2)}`;
  return (
    <div class="sprt">
      <p class="figure">{text}</p>
      <svg class="interval" viewBox="0 0 200 20" width="200" height="20" role="img" aria-label={text}>
        <line class="interval-range" x1="4" x2="196" y1="10" y2="10" />
        <circle class="interval-value" cx={4 + 192 * Math.max(0, Math.min(1, share))} cy="10" r="4" />
      </svg>
    </div>
  );
}

/** Nothing measured is certain. */
function likelyText(share: number): string {
  if (share > 0.999) return 'more than 99.9 % likely';
  return share < 0.001 ? 'less than 0.1 % likely' : `${percent(share)} likely`;
}
