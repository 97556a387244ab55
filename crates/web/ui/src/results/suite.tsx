/** Positions and puzzles: how many were solved, with baselines, by rating and theme. */

import { Table, figures } from '../shell/table.tsx';
import { type PuzzleGroup, type Share, type SuiteReport, type TournamentReport, percent, ratingText } from './reports.ts';
import { GamesCells, difference } from './cells.tsx';

function shareText(share: Share): string {
  return `${percent(share.value)} (95 %: ${percent(share.lower)} to ${percent(share.upper)}) of ${share.samples}`;
}

export function SuiteDetail({ report }: { report: SuiteReport }) {
  const puzzles = report.puzzles ?? null;
  return (
    <>
      {report.suites?.map((suite) => (
        <section key={suite.suite}>
          <p class="result-line figure">
            {suite.suite}: solved {shareText(suite.solved)}
          </p>
          <p class="note figure">
            {suite.random && `A random mover is expected to solve ${percent(suite.random.solved)}`}
            {suite.material && `, one that only counts pieces ${percent(suite.material.solved)}`}
          </p>
          <Misses answers={suite.answers?.filter((answer) => !answer.solved) ?? []} />
        </section>
      ))}
      {puzzles && (
        <>
          <p class="result-line figure">
            {puzzles.puzzles}: rating {ratingText(puzzles.overall.rating)}, solved {shareText(puzzles.overall.solved)}
          </p>
          <Groups title="By rating" groups={puzzles.bands} />
          <Groups title="By theme" groups={puzzles.themes} />
        </>
      )}
    </>
  );
}

/** What was not solved; each opens on the analysis board. */
function Misses({ answers }: { answers: { id: string; fen: string; played: string | null }[] }) {
  if (answers.length === 0) return null;
  return (
    <details>
      <summary>{answers.length} not solved</summary>
      <ul>
        {answers.slice(0, 300).map((answer) => (
          <li key={answer.id}>
            <a href={`/analyse?fen=${encodeURIComponent(answer.fen)}`}>{answer.id}</a> <span class="note">played {answer.played ?? 'nothing'}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Groups({ title, groups }: { title: string; groups: PuzzleGroup[] }) {
  if (groups.length === 0) return null;
  return (
    <Table
      label={title}
      columns={[{ title }, ...['Solved (95 %)', 'Puzzles'].map(figures), { title: '0 to 100 %' }, ...['Random', 'Material', 'Rating'].map(figures)]}
    >
      {groups.map((group) => (
        <tr key={group.name}>
          <th scope="row">{group.name}</th>
          <td class="number">
            {percent(group.solved.value)} ({percent(group.solved.lower)} to {percent(group.solved.upper)})
          </td>
          <td class="number">{group.solved.samples}</td>
          <td>
            <svg class="interval" viewBox="0 0 200 20" width="160" height="16" role="img" aria-label={percent(group.solved.value)}>
              <line class="interval-range" x1={200 * group.solved.lower} x2={200 * group.solved.upper} y1="10" y2="10" />
              <circle class="interval-value" cx={200 * group.solved.value} cy="10" r="4" />
            </svg>
          </td>
          <td class="number">{percent(group.random)}</td>
          <td class="number">{percent(group.material)}</td>
          <td class="number">{group.rating ? ratingText(group.rating) : ''}</td>
        </tr>
      ))}
    </Table>
  );
}

export function TournamentDetail({ report }: { report: TournamentReport }) {
  return (
    <Table label="Table" columns={[{ title: 'Player' }, ...['Games', 'W / D / L', 'Elo (95 %)'].map(figures)]}>
      {report.table.map((line) => (
        <tr key={line.player}>
          <th scope="row">{line.player}</th>
          <GamesCells games={line.games} />
          <td class="number">{difference(line.elo, line.lower, line.upper)}</td>
        </tr>
      ))}
    </Table>
  );
}
