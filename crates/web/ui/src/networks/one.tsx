/** One network: its origin, its strength, its layers and its input. */

import { useEffect, useState } from 'preact/hooks';
import { Refused, explain, get } from '../server/request.ts';
import type { Measurement, NetworkDetail } from '../server/types.ts';
import { CopyCommand } from '../shell/copy-command.tsx';
import { Missing } from '../shell/missing.tsx';
import { Table, figures } from '../shell/table.tsx';
import { useTitle } from '../shell/title.ts';
import { Fact, basicFacts, factText } from './facts.tsx';
import { Layers } from './layers.tsx';
import { OwnGames } from './own-games.tsx';
import { Planes } from './planes.tsx';
import { Probes } from './probes.tsx';
import { Validation } from './validation.tsx';

export function OneNetwork({ id, query }: { id: string; query: URLSearchParams }) {
  useTitle(`${id} · Networks`);
  const [network, setNetwork] = useState<NetworkDetail | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    get<NetworkDetail>(`/networks/${encodeURIComponent(id)}`).then(setNetwork, (error: unknown) => {
      if (error instanceof Refused && error.status === 404) setMissing(true);
      else setProblem(explain(error));
    });
  }, [id]);
  if (missing) return <Missing what={`network ${id}`} list={{ href: '/networks', text: 'All networks' }} />;
  return (
    <main class="text-page">
      <p class="trail">
        <a href="/networks">Networks</a>
      </p>
      <h1>
        {network?.name ?? id}
        {network && ' '}
        {network && <span class="tag">{network.kind}</span>}
      </h1>
      {(problem ?? network?.problem) && <p class="problem">{problem ?? network?.problem}</p>}
      {network && (
        <>
          <div class="button-row">
            <a class="button primary" href={`/?net=${encodeURIComponent(id)}`}>
              Play it
            </a>
            <a class="button" href={`/analyse?net=${encodeURIComponent(id)}`}>
              Analyse with it
            </a>
            <a class="button" href={`/networks/compare?a=${encodeURIComponent(id)}`}>
              Compare with ...
            </a>
          </div>
          <div class="network-page">
            <div>
              <h2>Provenance</h2>
              <dl class="facts">
                {basicFacts(network).map(([name, text]) => (
                  <Fact key={name} name={name.replaceAll('_', ' ')} text={text} />
                ))}
                {network.facts.map(([name, text]) => (
                  <Fact key={name} name={name} text={factText(name, text) || 'not recorded'} />
                ))}
              </dl>
            </div>
            <div>
              <h2>Strength</h2>
              {network.measurements.length === 0 ? (
                <p class="note">
                  Not measured. A ladder against Stockfish of known ratings measures it: <CopyCommand text={`tabiya ladder net=${network.file ?? 'default'},nodes=800 --games 200`} />
                </p>
              ) : (
                <MeasuredStrength measurements={network.measurements} />
              )}
              {network.rating !== null && (
                <p class="note">
                  It imitates people rated {network.rating} where they play. Ratings of people and of engines are different scales, which cannot be compared.
                </p>
              )}
              {network.metrics.length > 0 && (
                <>
                  <h2>Last validation</h2>
                  <Validation metrics={network.metrics} />
                </>
              )}
            </div>
          </div>
          {!network.problem && <Insights network={network} query={query} />}
          {network.recipe && (
            <details>
              <summary>The resolved recipe</summary>
              <pre class="mono" tabIndex={0}>
                {network.recipe}
              </pre>
            </details>
          )}
        </>
      )}
    </main>
  );
}

/** What the network makes of positions, how it is built, and what it is given. */
function Insights({ network, query }: { network: NetworkDetail; query: URLSearchParams }) {
  const { id, name, facts, layers } = network;
  return (
    <>
      <h2>At first sight</h2>
      <p class="note">The same positions for every network: its policy as arrows with percent; below, how often White wins (W), draws (D) and loses (L) by its value. A tick marks the right move where it is known.</p>
      <Probes networks={[{ id, name }]} />
      {layers.length > 0 && (
        <>
          <h2>Its layers</h2>
          <Layers layers={layers} />
        </>
      )}
      {facts.some(([fact]) => fact === 'Input encoding') && (
        <>
          <h2 id="sees">What it sees</h2>
          <Planes network={id} fen={query.get('fen')} moves={query.get('moves')?.split(',').filter(Boolean) ?? []} />
        </>
      )}
      <h2>Its values in your games</h2>
      <OwnGames network={id} />
    </>
  );
}

/** Ratings of the network under each setting, strongest first. */
function MeasuredStrength({ measurements }: { measurements: Measurement[] }) {
  return (
    <>
      <Table label="Measured strength" columns={[{ title: 'Setting' }, ...['Rating', '95 %', 'Games'].map(figures)]}>
        {measurements.map((one) => (
          <tr key={one.setting}>
            <th scope="row">{one.setting}</th>
            <td class="number">{Math.round(one.elo)}</td>
            <td class="number">
              {Math.round(one.low)} to {Math.round(one.high)}
            </td>
            <td class="number">{one.games}</td>
          </tr>
        ))}
      </Table>
      <p class="note">{measurements[0]?.conditions}</p>
    </>
  );
}
