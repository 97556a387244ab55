/** The networks on disk: their origin, their measured strength, and what to do with them. */

import { useCallback, useEffect, useState } from 'preact/hooks';
import type { ScreenProps } from '../app.tsx';
import { explain, get } from '../server/request.ts';
import type { NetworkKind, NetworkSummary } from '../server/types.ts';
import { Segments } from '../shell/segments.tsx';
import { type Column, Table, figures } from '../shell/table.tsx';
import { useTitle } from '../shell/title.ts';
import { Compare } from './compare.tsx';
import { Strength, sizeText } from './facts.tsx';
import { ImportNetwork } from './import.tsx';
import { OneNetwork } from './one.tsx';

const COLUMNS: Column[] = [
  { title: 'Compare', hidden: true },
  { title: 'Name' },
  { title: 'Kind', kind: 'kind-column' },
  { title: 'Shape', kind: 'detail-column' },
  { ...figures('Parameters'), kind: 'detail-column' },
  { ...figures('Size'), kind: 'detail-column' },
  { title: 'Strength' },
  { title: 'Use it', kind: 'use-column' },
];

export function NetworksScreen({ route }: ScreenProps) {
  const id = route.path[1];
  if (id === 'compare') return <Compare query={route.query} />;
  return id ? <OneNetwork id={id} query={route.query} key={id} /> : <AllNetworks />;
}

function AllNetworks() {
  useTitle('Networks');
  const [networks, setNetworks] = useState<NetworkSummary[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [filter, setFilter] = useState('');
  const [kind, setKind] = useState<NetworkKind | 'all'>('all');
  const [chosen, setChosen] = useState<string[]>([]);
  const load = useCallback(() => {
    get<NetworkSummary[]>('/networks').then(setNetworks, (error: unknown) => setProblem(explain(error)));
  }, []);
  useEffect(load, []);
  const choose = (id: string) => setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2));
  const shown = networks?.filter((network) => (kind === 'all' || network.kind === kind) && `${network.name} ${network.kind}`.toLowerCase().includes(filter.toLowerCase()));
  return (
    <main class="text-page">
      <h1>Networks</h1>
      <div class="button-row">
        <Segments
          label="Kind"
          hideLabel={true}
          options={[
            ['all', 'All'],
            ['bundled', 'Bundled'],
            ['own', 'Own'],
            ['lc0', 'lc0'],
            ['human', 'Human'],
            ['system', 'Systems'],
          ]}
          value={kind}
          onChange={setKind}
        />
        <label class="inline-field">
          <span>Filter</span>
          <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
        {chosen.length === 2 ? (
          <a class="button" href={`/networks/compare?a=${encodeURIComponent(chosen[0] ?? '')}&b=${encodeURIComponent(chosen[1] ?? '')}`}>
            Compare
          </a>
        ) : (
          <span class="note">Tick two to compare them.</span>
        )}
      </div>
      {problem && <p class="problem">{problem}</p>}
      {/* Until the list arrives, there is nothing that it could push down. */}
      {networks && (
        <>
          <Table label="Networks" columns={COLUMNS} kind="networks-table">
            {shown?.map((network) => (
              <tr key={network.id}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Compare ${network.name}`}
                    disabled={network.problem !== null}
                    checked={chosen.includes(network.id)}
                    onChange={() => choose(network.id)}
                  />
                </td>
                <th scope="row">
                  <a href={`/networks/${encodeURIComponent(network.id)}`}>{network.name}</a>
                </th>
                <td class="kind-column">
                  {network.kind}
                  {network.rating !== null && <> {network.rating}</>}
                </td>
                <td class="detail-column">{network.shape ?? ''}</td>
                <td class="detail-column number">{network.parameters?.toLocaleString('en') ?? ''}</td>
                <td class="detail-column number">{network.bytes === null ? '' : sizeText(network.bytes)}</td>
                <td>{network.problem ? <span class="problem" title={network.problem}>cannot be used</span> : <Strength network={network} />}</td>
                <td class="use-column">
                  {!network.problem && (
                    <span class="use-it">
                      <a href={`/?net=${encodeURIComponent(network.id)}`}>play</a>
                      <a href={`/analyse?net=${encodeURIComponent(network.id)}`}>analyse</a>
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </Table>
          <ImportNetwork onKept={load} />
          <p class="note">
            More networks: train one (<code>tabiya train recipes/first --data games.store</code>), drop a weights file, an ONNX file or an lc0 network (
            <code>.pb.gz</code>) here, or put it into the folder <code>nets</code>.
          </p>
        </>
      )}
    </main>
  );
}
