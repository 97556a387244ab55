/** Measured strength: matches, ladders, suites and reports, each with its interval. */

import { useEffect, useState } from 'preact/hooks';
import type { ScreenProps } from '../app.tsx';
import { live } from '../server/live.ts';
import { explain, get } from '../server/request.ts';
import type { ResultSummary } from '../server/types.ts';
import { Boundary } from '../shell/boundary.tsx';
import { CopyCommand } from '../shell/copy-command.tsx';
import { type NamedPlayer, engineName, playerNames } from '../shell/engine-name.ts';
import { Missing } from '../shell/missing.tsx';
import { useTitle } from '../shell/title.ts';
import { ResultBody } from './body.tsx';
import { DocumentBody, type ReportDocument } from './document.tsx';
import { MatchRow } from './match.tsx';
import { type LadderReport, type MatchReport, type SuiteReport, type TournamentReport, gamesOf, percent, ratingText, scoreOf, signed } from './reports.ts';

export function ResultsScreen({ route }: ScreenProps) {
  const [results, setResults] = useState<ResultSummary[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const chosen = route.path[2];
  useTitle(chosen ? `${chosen} · Results` : 'Results');
  useEffect(() => {
    let newest = 0;
    const load = () => {
      const mine = ++newest;
      // An answer that was overtaken is out of date.
      const show = (found: ResultSummary[] | null, failed: string | null) => {
        if (mine !== newest) return;
        if (found) setResults(found);
        setProblem(failed);
      };
      return get<ResultSummary[]>('/results').then(
        (found) => show(found, null),
        (error: unknown) => show(null, explain(error)),
      );
    };
    void load();
    // This includes the first message: the result it reports may have been written after the answer above.
    return live.listen('results', () => void load());
  }, []);
  const one = results?.find((result) => result.id === chosen);
  if (results && chosen && !one) return <Missing what={`result ${chosen}`} list={{ href: '/results', text: 'All results' }} />;
  return (
    <main class="text-page">
      {one ? <OneResult result={one} /> : <AllResults results={results} />}
      {problem && <p class="problem">{problem}</p>}
    </main>
  );
}

function OneResult({ result }: { result: ResultSummary }) {
  return (
    <>
      <p class="trail">
        <a href="/results">Results</a>
      </p>
      <h1>{result.id}</h1>
      {result.pgn && (
        <div class="button-row">
          <a class="button" href={`/analyse?result=${encodeURIComponent(result.id)}`}>
            Open the games
          </a>
          <a class="button" href={`/api/v1/results/${encodeURIComponent(result.id)}/pgn`} download={`${result.id}.pgn`}>
            Download them
          </a>
        </div>
      )}
      <OneBody result={result} />
    </>
  );
}

function OneBody({ result }: { result: ResultSummary }) {
  if (result.problem || !result.report) return <p class="problem">It cannot be read: {result.problem ?? 'it is empty'}</p>;
  if (result.kind === 'running') return <p class="result-line figure">{gamesText(result)} so far; the result follows the last game.</p>;
  if (result.kind === 'report') return <DocumentBody report={result.report as unknown as ReportDocument} links={true} />;
  return <ResultBody report={result.report} links={true} />;
}

/** Fields that the lists need from each kind of report. */
const NEEDED: Partial<Record<ResultSummary['kind'], string[]>> = { match: ['conditions', 'games'], ladder: ['levels'], tournament: ['table'] };

/** The reason why a result cannot be listed among its kind. */
function brokenText({ kind, problem, report }: ResultSummary): string | null {
  const missing = NEEDED[kind]?.find((key) => !report?.[key]);
  return problem ?? (missing ? `it has no ${missing}` : null);
}

function gamesText(result: ResultSummary): string {
  const games = Number(result.report?.['games'] ?? 0);
  return `${games.toLocaleString('en')} ${games === 1 ? 'game' : 'games'}`;
}

type Order = 'newest' | 'elo' | 'score' | 'games';

function AllResults({ results }: { results: ResultSummary[] | null }) {
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState<Order>('newest');
  const [said, setSaid] = useState('');
  const shown = results?.filter((result) => foundIn(result).includes(filter.toLowerCase())) ?? [];
  const of = (...kinds: ResultSummary['kind'][]) => shown.filter((result) => kinds.includes(result.kind) && !brokenText(result));
  const report = (result: ResultSummary) => result.report as unknown as MatchReport;
  const keys: Record<Order, (result: ResultSummary) => number> = {
    newest: (result) => result.modified,
    elo: (result) => report(result).elo?.elo ?? -Infinity,
    score: (result) => scoreOf(report(result).games),
    games: (result) => gamesOf(report(result).games),
  };
  const matches = of('match').sort((first, second) => keys[order](second) - keys[order](first));
  const copy = (separator: 'md' | 'csv') => {
    const rows = matches.map((result) => matchCells(result.id, report(result)));
    navigator.clipboard.writeText(tableText([MATCH_HEADER, ...rows], separator)).then(
      () => setSaid('Copied.'),
      () => setSaid('Not copied: the browser refused.'),
    );
  };
  return (
    <>
      <h1>Results</h1>
      {results?.length === 0 && (
        <div class="empty">
          <h2>No results yet</h2>
          <p>A match written to the results folder appears here, even while it is running.</p>
          <CopyCommand text="tabiya match default,nodes=300 random --games 100 --out results/first" />
        </div>
      )}
      {results && results.length > 0 && (
        <label class="inline-field results-filter">
          <span>Filter</span>
          <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
      )}
      {of('running').map((result) => (
        <p key={result.id} class="figure">
          <b>{result.id}</b> is being played: {gamesText(result)} so far.
        </p>
      ))}
      {matches.length > 0 && (
        <section>
          <h2>Matches</h2>
          <div class="table-scroll" tabIndex={0} role="region" aria-label="Matches">
            <table class="match-table">
              <thead>
                <tr>
                  <Header text="First against second" order="newest" now={order} onOrder={setOrder} />
                  <Header text="Games" order="games" now={order} onOrder={setOrder} number={true} />
                  <th scope="col" class="number detail-column">
                    W / D / L
                  </th>
                  <Header text="Score" order="score" now={order} onOrder={setOrder} number={true} kind="detail-column" />
                  <Header text="Elo (95 %)" order="elo" now={order} onOrder={setOrder} number={true} />
                  <th scope="col" class="interval-column">
                    <span class="interval-scale figure">
                      <span>-400</span>
                      <span>0</span>
                      <span>+400</span>
                    </span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {matches.map((result) => (
                  <MatchRow key={result.id} id={result.id} report={report(result)} />
                ))}
              </tbody>
            </table>
          </div>
          <div class="button-row">
            <button type="button" onClick={() => copy('md')}>
              Copy as Markdown
            </button>
            <button type="button" onClick={() => copy('csv')}>
              Copy as CSV
            </button>
            <span class="note" role="status">
              {said}
            </span>
          </div>
        </section>
      )}
      <Links title="Ladders" results={of('ladder')} kind="ladder" text={(result) => ladderText(result.report as unknown as LadderReport)} />
      <Links title="Tournaments" results={of('tournament')} kind="tournament" text={(result) => `${(result.report as unknown as TournamentReport).table.length} players`} />
      <Links title="Puzzles and positions" results={of('suite')} kind="suite" text={(result) => [playerOf(result), suiteText(result.report as unknown as SuiteReport)].filter(Boolean).join(': ')} />
      <Links title="Reports" results={of('report')} kind="report" text={(result) => new Date(result.modified * 1000).toLocaleString()} />
      <Links title="Other reports" results={shown.filter((result) => result.kind === 'other' || brokenText(result))} kind="other" text={(result) => brokenText(result) ?? playerOf(result)} />
    </>
  );
}

interface HeaderProps {
  text: string;
  order: Order;
  now: Order;
  onOrder: (order: Order) => void;
  number?: boolean;
  /** Class of its cells, with which narrow pages leave the column out. */
  kind?: string;
}

function Header({ text, order, now, onOrder, number, kind }: HeaderProps) {
  return (
    <th scope="col" class={[number && 'number', kind].filter(Boolean).join(' ') || undefined} aria-sort={order === now ? 'descending' : undefined}>
      <button type="button" class="link sort" onClick={() => onOrder(order)}>
        {text}
      </button>
    </th>
  );
}

interface LinksProps {
  title: string;
  results: ResultSummary[];
  kind: string;
  text: (result: ResultSummary) => string;
}

function Links({ title, results, kind, text }: LinksProps) {
  if (results.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="result-links">
        {results.map((result) => (
          <li key={result.id}>
            <Boundary what={result.id}>
              <Link kind={kind} result={result} text={text} />
            </Boundary>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Link({ kind, result, text }: { kind: string; result: ResultSummary; text: (result: ResultSummary) => string }) {
  return (
    <>
      <a href={`/results/${kind}/${encodeURIComponent(result.id)}`}>{result.id}</a> <span class={brokenText(result) ? 'problem' : 'note figure'}>{text(result)}</span>
    </>
  );
}

/** What a result is searched for: its name, its players by their short names, and its conditions. */
function foundIn({ id, report }: ResultSummary): string {
  const conditions = report?.['conditions'] as { players?: NamedPlayer[] } | undefined;
  return JSON.stringify([id, playerNames(conditions?.players), conditions]).toLowerCase();
}

/** The player of a result that has one, by its short name. */
function playerOf({ report }: ResultSummary): string {
  const [player] = playerNames((report?.['conditions'] as { players?: NamedPlayer[] } | undefined)?.players);
  return player ?? engineName(String(report?.['player'] ?? ''));
}

function ladderText({ conditions, rating }: LadderReport): string {
  const [player] = playerNames(conditions?.players);
  return [player, ratingText(rating ?? null)].filter(Boolean).join(': ');
}

function suiteText(report: SuiteReport): string {
  const parts = report.suites?.map((suite) => `${suite.suite} ${percent(suite.solved.value)}`) ?? [];
  for (const puzzles of report.puzzles ?? []) parts.push(`puzzle rating ${ratingText(puzzles.overall.rating)}`);
  return parts.join(', ');
}

const MATCH_HEADER = ['match', 'first', 'second', 'games', 'won', 'drawn', 'lost', 'score', 'Elo', 'lower', 'upper'];

function matchCells(id: string, report: MatchReport): string[] {
  const [first = '', second = ''] = playerNames(report.conditions.players);
  const { wins, draws, losses } = report.games;
  const end = (value: number | null | undefined) => (value === null || value === undefined ? '' : signed(value));
  return [id, first, second, String(gamesOf(report.games)), String(wins), String(draws), String(losses), percent(scoreOf(report.games)), end(report.elo?.elo), end(report.elo?.lower), end(report.elo?.upper)];
}

function tableText(rows: string[][], form: 'md' | 'csv'): string {
  if (form === 'csv') return rows.map((row) => row.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')).join('\n');
  const [header = [], ...body] = rows.map((row) => row.map((cell) => cell.replaceAll('|', '/')));
  return [header, header.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
