/** The engine's line above the table: on and off, which network, how far it is, how far it may go. */

import { Icon } from '../icons.tsx';
import type { NetworkSummary } from '../server/types.ts';
import { countText, rateText } from './numbers.ts';
import type { SearchState } from './use-search.ts';

interface Props {
  on: boolean;
  onToggle: () => void;
  networks: NetworkSummary[];
  network: string;
  onNetwork: (network: string) => void;
  second: string | null;
  onSecond: (network: string | null) => void;
  search: SearchState;
  budget: number | null;
  onBudget: (budget: number | null) => void;
  onRetry: () => void;
}

/** Visits, then no end. */
export const BUDGETS: (number | null)[] = [
  1, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, null,
];

/** The budget ten times as large, as far as the slider goes. */
export function tenTimes(budget: number): number | null {
  return BUDGETS.find((step) => step === null || step >= 10 * budget) ?? null;
}

const STAGES = {
  waiting: 'waiting for a free place',
  running: '',
  spent: 'done',
  proven: 'solved',
  stopped: 'paused',
  over: 'the game is over',
  failed: 'failed',
};

export function EngineBar(props: Props) {
  const { on, networks, network, second, search, budget } = props;
  const { view } = search;
  const trace = view?.trace;
  const stop = Math.max(0, BUDGETS.indexOf(budget));
  return (
    <section class="engine-bar" aria-label="Engine">
      <div class="engine-row">
        <button type="button" class="primary" onClick={props.onToggle} title="Engine on or off (l)">
          <Icon name={on ? 'pause' : 'play'} /> {on ? 'Pause' : 'Analyse'}
        </button>
        <NetworkSelect label="Network" networks={networks} value={network} onChange={props.onNetwork} />
        {second === null ? (
          <button type="button" onClick={() => props.onSecond(networks.find((other) => other.id !== network)?.id ?? network)} title="A second network beside it (n)">
            <Icon name="plus" /> Network
          </button>
        ) : (
          <>
            <NetworkSelect label="Second network" networks={networks} value={second} onChange={props.onSecond} />
            <button type="button" class="icon-button" aria-label="Remove the second network" onClick={() => props.onSecond(null)}>
              <Icon name="close" />
            </button>
          </>
        )}
      </div>
      <p class="engine-figures figure" data-nodes={view?.visits ?? 0}>
        {trace && view ? (
          <>
            {countText(view.visits)} nodes · {rateText(trace.nodes_per_second)}/s · depth {trace.depth}/{trace.selective_depth}
            {view.kept > 0 && <> · kept {countText(view.kept)}</>}
            {STAGES[view.stage] && <b> · {STAGES[view.stage]}</b>}
            {view.stage === 'spent' && budget !== null && (
              <button type="button" class="link" onClick={() => props.onBudget(tenTimes(budget))} title="Go on to ten times the budget">
                +10x
              </button>
            )}
          </>
        ) : (
          (view && STAGES[view.stage]) || (on ? 'starting' : 'idle')
        )}
      </p>
      {(search.problem ?? view?.message) && (
        <p class="problem">
          {search.problem ?? view?.message}{' '}
          <button type="button" onClick={props.onRetry}>
            Try again
          </button>
        </p>
      )}
      <label class="budget">
        <span>Budget</span>
        <input
          type="range"
          min={0}
          max={BUDGETS.length - 1}
          value={stop}
          aria-valuetext={budget === null ? 'no end' : `${budget} nodes`}
          onInput={(event) => props.onBudget(BUDGETS[Number(event.currentTarget.value)] ?? null)}
        />
        <span class="figure budget-value">{budget === null ? 'no end' : `${budget.toLocaleString('en')}`}</span>
      </label>
      <div class="progress" aria-hidden="true">
        <span style={{ width: budget && view ? `${Math.min(100, (100 * view.visits) / budget)}%` : '0%' }} />
      </div>
    </section>
  );
}

interface SelectProps {
  label: string;
  networks: NetworkSummary[];
  value: string;
  onChange: (network: string) => void;
}

function NetworkSelect({ label, networks, value, onChange }: SelectProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {networks.map((network) => (
        <option key={network.id} value={network.id}>
          {network.name}
          {network.kind === 'bundled' ? '' : ` (${network.kind})`}
        </option>
      ))}
    </select>
  );
}
