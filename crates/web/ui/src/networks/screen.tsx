/** Networks: what is on disk, where it comes from, how strong it was measured, and what to do with it. */

import { useEffect, useState } from 'preact/hooks';
import type { ScreenProps } from '../app.tsx';
import { Refused, explain, get } from '../server/request.ts';
import type { NetworkDetail, NetworkSummary } from '../server/types.ts';
import { Missing } from '../shell/missing.tsx';
import { useTitle } from '../shell/title.ts';

export function NetworksScreen({ route }: ScreenProps) {
  const id = route.path[1];
  return id ? <OneNetwork id={id} key={id} /> : <AllNetworks />;
}

function AllNetworks() {
  useTitle('Networks');
  const [networks, setNetworks] = useState<NetworkSummary[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [filter, setFilter] = useState('');
  useEffect(() => {
    get<NetworkSummary[]>('/networks').then(setNetworks, (error: unknown) => setProblem(explain(error)));
  }, []);
  const shown = networks?.filter((network) => `${network.name} ${network.kind}`.toLowerCase().includes(filter.toLowerCase()));
  return (
    <main class="text-page">
      <h1>Networks</h1>
      <label class="inline-field">
        <span>Filter</span>
        <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
      </label>
      {problem && <p class="problem">{problem}</p>}
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Networks">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Kind</th>
              <th scope="col">Shape</th>
              <th scope="col" class="number">
                Parameters
              </th>
              <th scope="col" class="number">
                Size
              </th>
              <th scope="col">Strength</th>
              <th scope="col">Use it</th>
            </tr>
          </thead>
          <tbody>
            {shown?.map((network) => (
              <tr key={network.id}>
                <th scope="row">
                  <a href={`/networks/${encodeURIComponent(network.id)}`}>{network.name}</a>
                </th>
                <td>
                  {network.kind}
                  {network.rating !== null && <> {network.rating}</>}
                </td>
                <td>{network.shape ?? ''}</td>
                <td class="number">{network.parameters?.toLocaleString('en') ?? ''}</td>
                <td class="number">{network.bytes === null ? '' : sizeText(network.bytes)}</td>
                <td>{network.problem ? <span class="problem">cannot be used</span> : <Strength network={network} />}</td>
                <td>
                  {!network.problem && (
                    <>
                      <a href={`/?net=${encodeURIComponent(network.id)}`}>play</a> · <a href={`/analyse?net=${encodeURIComponent(network.id)}`}>analyse</a>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">
        More networks: train one (<code>tabiya train recipes/first --data games.store</code>), or put a weights file or an lc0 network
        (<code>.pb.gz</code>) into the folder <code>nets</code>.
      </p>
    </main>
  );
}

function Strength({ network }: { network: NetworkSummary }) {
  const [best] = network.measurements;
  if (!best) return <span class="note">not measured</span>;
  return (
    <span class="figure" title={best.conditions}>
      {Math.round(best.elo)} ({Math.round(best.low)} to {Math.round(best.high)})
    </span>
  );
}

function OneNetwork({ id }: { id: string }) {
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
      <p>
        <a href="/networks">Networks</a>
      </p>
      <h1>{network?.name ?? id}</h1>
      {(problem ?? network?.problem) && <p class="problem">{problem ?? network?.problem}</p>}
      {network && (
        <>
          <div class="button-row">
            <a class="button" href={`/?net=${encodeURIComponent(id)}`}>
              Play it
            </a>
            <a class="button" href={`/analyse?net=${encodeURIComponent(id)}`}>
              Analyse with it
            </a>
          </div>
          <h2>Where it comes from</h2>
          <dl class="facts">
            <Fact name="Kind" text={network.kind} />
            {network.shape && <Fact name="Shape" text={`${network.shape}, ${network.parameters?.toLocaleString('en')} parameters`} />}
            {network.file && <Fact name="File" text={network.file} />}
            {network.bytes !== null && <Fact name="Size" text={sizeText(network.bytes)} />}
            {network.facts.map(([name, text]) => (
              <Fact key={name} name={name} text={text || 'not recorded'} />
            ))}
          </dl>
          <h2>Strength</h2>
          {network.measurements.length === 0 ? (
            <p class="note">
              Not measured. A match measures it:{' '}
              <code>tabiya match net={network.file ?? 'nets/default.tabiya'},nodes=800 random --games 100</code>
            </p>
          ) : (
            <ul>
              {network.measurements.map((one) => (
                <li key={one.conditions} class="figure">
                  {Math.round(one.elo)} (95 %: {Math.round(one.low)} to {Math.round(one.high)}), {one.games} games: {one.conditions}
                </li>
              ))}
            </ul>
          )}
          {network.metrics.length > 0 && (
            <>
              <h2>Last validation</h2>
              <dl class="facts">
                {network.metrics.map(([name, value]) => (
                  <Fact key={name} name={name} text={value.toPrecision(5)} />
                ))}
              </dl>
            </>
          )}
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

function Fact({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="figure">{text}</dd>
    </div>
  );
}

function sizeText(bytes: number): string {
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1e3)} kB`;
}
