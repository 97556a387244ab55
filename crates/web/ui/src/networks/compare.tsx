/** Two networks side by side: their differences, and how far they agree on the probe positions. */

import { useEffect, useState } from 'preact/hooks';
import { divergence } from '../analyse/numbers.ts';
import { go, swap } from '../route.ts';
import { explain, get } from '../server/request.ts';
import type { FirstSight, NetworkDetail, NetworkSummary } from '../server/types.ts';
import { useTitle } from '../shell/title.ts';
import { basicFacts } from './facts.tsx';
import { PROBES, Probes, useFirstSights } from './probes.tsx';

export function Compare({ query }: { query: URLSearchParams }) {
  useTitle('Compare · Networks');
  const [networks, setNetworks] = useState<NetworkSummary[]>([]);
  const [details, setDetails] = useState<Map<string, NetworkDetail>>(new Map());
  const [problem, setProblem] = useState<string | null>(null);
  const ids = [query.get('a'), query.get('b')];
  useEffect(() => {
    get<NetworkSummary[]>('/networks').then(
      (all) => setNetworks(all.filter((one) => !one.problem)),
      (error: unknown) => setProblem(explain(error)),
    );
  }, []);
  useEffect(() => {
    for (const id of ids) {
      if (!id || details.has(id)) continue;
      get<NetworkDetail>(`/networks/${encodeURIComponent(id)}`).then(
        (detail) => setDetails((known) => new Map(known).set(id, detail)),
        (error: unknown) => setProblem(explain(error)),
      );
    }
  }, [ids.join(' ')]);
  const choose = (side: 'a' | 'b', id: string) => {
    const next = new URLSearchParams(query);
    next.set(side, id);
    swap(`/networks/compare?${next}`);
  };
  const chosen = ids.map((id) => (id ? details.get(id) : undefined));
  const [first, second] = chosen;
  return (
    <main class="text-page">
      <p class="trail">
        <a href="/networks">Networks</a>
      </p>
      <h1>Two networks</h1>
      <div class="button-row">
        {(['a', 'b'] as const).map((side, index) => (
          <label key={side} class="inline-field compared">
            <span>{side.toUpperCase()}</span>
            <select value={details.get(ids[index] ?? '')?.id ?? ids[index] ?? ''} onChange={(event) => choose(side, event.currentTarget.value)}>
              <option value="">choose one</option>
              {networks.map((network) => (
                <option key={network.id} value={network.id}>
                  {network.name} ({network.kind})
                </option>
              ))}
            </select>
          </label>
        ))}
        <button type="button" disabled={!first || !second} onClick={() => go(`/analyse?net=${encodeURIComponent(first?.id ?? '')}&net2=${encodeURIComponent(second?.id ?? '')}`)}>
          Analyse with both
        </button>
      </div>
      {problem && <p class="problem">{problem}</p>}
      {first && second ? (
        <>
          <Agreement first={first} second={second} />
          <Probes networks={[first, second]} />
          <details>
            <summary>All recorded facts; differences first</summary>
            <Facts first={first} second={second} />
          </details>
        </>
      ) : (
        ids.every(Boolean) || <p class="note">Choose two networks.</p>
      )}
    </main>
  );
}

/** Fields that differ come first. */
function Facts({ first, second }: { first: NetworkDetail; second: NetworkDetail }) {
  const pairs = [first, second].map((network) => new Map([...basicFacts(network), ...network.facts, ...strength(network), ...metrics(network)]));
  const [left, right] = pairs as [Map<string, string>, Map<string, string>];
  const names = [...new Set([...left.keys(), ...right.keys()])];
  const differs = (name: string) => left.get(name) !== right.get(name);
  const sorted = [...names.filter(differs), ...names.filter((name) => !differs(name))];
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Facts about both">
      <table class="compare-table">
        <thead>
          <tr>
            <td />
            <th scope="col">A: {first.name}</th>
            <th scope="col">B: {second.name}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((name) => (
            <tr key={name} data-differs={differs(name) || undefined}>
              <th scope="row">{name}</th>
              <td class="wrap">{left.get(name) ?? ''}</td>
              <td class="wrap">{right.get(name) ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function strength(network: NetworkDetail): [string, string][] {
  const [best] = network.measurements;
  return [['Strength', best ? `${Math.round(best.elo)} (95 %: ${Math.round(best.low)} to ${Math.round(best.high)}; ${best.setting}, ${best.conditions})` : 'not measured']];
}

function metrics(network: NetworkDetail): [string, string][] {
  return network.metrics.map(([name, value]) => [`held out: ${name}`, value.toPrecision(4)]);
}

function Agreement({ first, second }: { first: NetworkDetail; second: NetworkDetail }) {
  const { judged } = useFirstSights([first.id, second.id]);
  const [left, right] = judged?.map((answer) => answer.positions) ?? [];
  // The sentence has its place even before both have answered, so that the boards below it stay where they are.
  const known = left && right && left.length > 0 && right.length > 0;
  const priors = (sight: FirstSight | undefined) => new Map((sight?.moves ?? []).map((move) => [move.uci, move.prior]));
  const expected = (sight: FirstSight | undefined) => (sight?.wdl ? 100 * (sight.wdl[0] + sight.wdl[1] / 2) : 0);
  const same = PROBES.filter((_, index) => left?.[index]?.moves[0]?.uci === right?.[index]?.moves[0]?.uci).length;
  const awaited = (text: string) => <span class={known ? undefined : 'awaited'}>{text}</span>;
  const mean = (value: (index: number) => number, digits: number) => awaited((PROBES.reduce((sum, _, index) => sum + value(index), 0) / PROBES.length).toFixed(digits));
  return (
    <p class="figure agreement" aria-busy={!known}>
      On the {PROBES.length} positions below: the same first choice in <b>{awaited(String(same))}</b>, policies {mean((index) => divergence(priors(left?.[index]), priors(right?.[index])), 2)} nats
      apart on average (KL), values {mean((index) => Math.abs(expected(left?.[index]) - expected(right?.[index])), 1)} points of win percentage.
    </p>
  );
}
