/** Measured strength: matches and ladders with their intervals. */

import { useEffect, useState } from 'preact/hooks';
import type { ScreenProps } from '../app.tsx';
import { explain, get } from '../server/request.ts';
import type { ResultSummary } from '../server/types.ts';
import { Missing } from '../shell/missing.tsx';
import { useTitle } from '../shell/title.ts';
import { MatchRow, type MatchReport } from './match.tsx';

export function ResultsScreen({ route }: ScreenProps) {
  const [results, setResults] = useState<ResultSummary[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useTitle('Results');
  useEffect(() => {
    get<ResultSummary[]>('/results').then(setResults, (error: unknown) => setProblem(explain(error)));
  }, []);
  const chosen = route.path[2];
  const one = results?.find((result) => result.id === chosen);
  if (results && chosen && !one) return <Missing what={`result ${chosen}`} list={{ href: '/results', text: 'All results' }} />;
  const matches = results?.filter((result) => result.kind === 'match') ?? [];
  const others = results?.filter((result) => result.kind !== 'match') ?? [];
  return (
    <main class="text-page">
      <h1>Results</h1>
      {problem && <p class="problem">{problem}</p>}
      {results?.length === 0 && (
        <p>
          No results yet. <code>tabiya match default,nodes=300 random --games 100 --json &gt; results/first.json</code> and the match appears
          here.
        </p>
      )}
      {matches.length > 0 && (
        <>
          <h2>Matches</h2>
          <div class="table-scroll" tabIndex={0} role="region" aria-label="Matches">
            <table class="match-table">
              <thead>
                <tr>
                  <th scope="col">First against second</th>
                  <th scope="col" class="number">
                    Games
                  </th>
                  <th scope="col" class="number">
                    W / D / L
                  </th>
                  <th scope="col" class="number">
                    Score
                  </th>
                  <th scope="col" class="number">
                    Elo (95 %)
                  </th>
                  <th scope="col">-400 · 0 · +400</th>
                </tr>
              </thead>
              <tbody>
                {matches.map((result) => (
                  <MatchRow key={result.id} id={result.id} report={result.report as unknown as MatchReport} />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {others.length > 0 && <h2>Other reports</h2>}
      {others.map((result) => (
        <details key={result.id}>
          <summary>
            {result.id} {result.kind === 'ladder' ? '(ladder)' : ''}
          </summary>
          {result.problem ? (
            <p class="problem">
              {result.id}.json cannot be read: {result.problem}
            </p>
          ) : (
            <pre class="mono" tabIndex={0}>
              {JSON.stringify(result.report, null, 2)}
            </pre>
          )}
        </details>
      ))}
    </main>
  );
}
