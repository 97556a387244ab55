/** Positions and puzzles: how many were solved, with baselines, by rating and theme. */

import { playerNames } from '../shell/engine-name.ts';
import { Table, figures } from '../shell/table.tsx';
import { Intervals } from './intervals.tsx';
import { type PuzzleGroup, type Share, type SuiteReport, type TournamentReport, percent, ratingText, shareText } from './reports.ts';
import { GamesCells, difference } from './cells.tsx';

function solvedText(share: Share): string {
  return `${percent(share.value)} (95 %: ${percent(share.lower)} to ${percent(share.upper)}) of ${share.samples}`;
}

export function SuiteDetail({ report, links }: { report: SuiteReport; links: boolean }) {
  return (
    <>
      {report.suites?.map((suite) => (
        <section key={suite.suite}>
          <p class="result-line figure">
            {suite.suite}: solved {solvedText(suite.solved)}
          </p>
          <p class="note figure">
            {suite.random && `A random mover is expected to solve ${percent(suite.random.solved)}`}
            {suite.material && `, one that only counts pieces ${percent(suite.material.solved)}`}
          </p>
          <Misses answers={suite.answers?.filter((answer) => !answer.solved) ?? []} links={links} />
        </section>
      ))}
      {report.puzzles?.map((puzzles) => (
        <section key={puzzles.puzzles}>
          <p class="result-line figure">
            {puzzles.puzzles}: rating {ratingText(puzzles.overall.rating)}, solved {solvedText(puzzles.overall.solved)}
          </p>
          <Groups title="By rating" groups={puzzles.bands} />
          <Groups title="By theme" groups={puzzles.themes} />
        </section>
      ))}
    </>
  );
}

/** Positions that were not solved; each opens on the analysis board. */
function Misses({ answers, links }: { answers: { id: string; fen: string; played: string | null }[]; links: boolean }) {
  if (answers.length === 0) return null;
  return (
    <details>
      <summary>{answers.length} not solved</summary>
      <ul>
        {answers.slice(0, 300).map((answer) => (
          <li key={answer.id}>
            {links ? <a href={`/analyse?fen=${encodeURIComponent(answer.fen)}`}>{answer.id}</a> : `${answer.id}: ${answer.fen}`} <span class="note">played {answer.played ?? 'nothing'}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Groups({ title, groups }: { title: string; groups: PuzzleGroup[] }) {
  const rows = groups.map((group) => ({
    name: group.name,
    value: 100 * group.solved.value,
    low: 100 * group.solved.lower,
    high: 100 * group.solved.upper,
    text: shareText(group.solved),
    more: [String(group.solved.samples), percent(group.random), percent(group.material), group.rating ? ratingText(group.rating) : ''],
  }));
  return <Intervals title={title} value="Solved" more={['Puzzles', 'Random', 'Material', 'Rating']} rows={rows} scale={[0, 100]} />;
}

export function TournamentDetail({ report }: { report: TournamentReport }) {
  const names = playerNames(report.table.map(({ player }) => ({ name: player })));
  const numbers = report.table.map((_, index) => String(index + 1));
  return (
    <Table label="Table" columns={[{ title: 'Player' }, ...['Games', 'W / D / L', 'Elo (95 %)', ...numbers].map(figures)]}>
      {report.table.map((line, index) => (
        <tr key={line.player}>
          <th scope="row">
            {index + 1}. {names[index]}
          </th>
          <GamesCells games={line.games} />
          <td class="number">{difference(line.elo, line.lower, line.upper)}</td>
          {line.against?.map((games, other) => (
            <td key={numbers[other]} class="number">
              {games && `+${games.wins} =${games.draws} -${games.losses}`}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
