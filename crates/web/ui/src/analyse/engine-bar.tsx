/** The engine's two lines: on and off, which networks; how far it is, how far it may go. */

import { Icon } from '../icons.tsx';
import type { NetworkSummary } from '../server/types.ts';
import { countText, plural, rateText } from './numbers.ts';
import type { Engine } from './use-engine.ts';

/** Stops of the slider: visits, then no end. */
export const BUDGETS: (number | null)[] = [
  1, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, null,
];

/** The budget ten times as large, as far as the slider goes. */
function tenTimes(budget: number): number | null {
  return BUDGETS.find((step) => step === null || step >= 10 * budget) ?? null;
}

/** The stop next to a budget, which may lie between two. */
function stopOf(budget: number | null): number {
  const at = BUDGETS.findIndex((step) => step === null || (budget !== null && step >= budget));
  return budget === null ? BUDGETS.length - 1 : at;
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

export function EngineBar({ engine }: { engine: Engine }) {
  const { on, networks, network, second, search, budget } = engine;
  const { view } = search;
  const trace = view?.trace;
  const said = search.problem ?? view?.message;
  return (
    <section class="engine-bar" aria-label="Engine">
      <div class="engine-row">
        <button type="button" class="primary" onClick={() => engine.setOn(!on)} title="Engine on or off (l)">
          <Icon name={on ? 'pause' : 'play'} /> {on ? 'Pause' : 'Analyse'}
        </button>
        <NetworkSelect label="Network" chip={second === null ? null : 'net-a'} networks={networks} value={network} onChange={engine.setNetwork} />
        {second === null ? (
          <button type="button" class="icon-button" aria-label="Second network" onClick={engine.toggleSecond} title="A second network beside it (n)">
            <Icon name="plus" />
          </button>
        ) : (
          <>
            <NetworkSelect label="Second network" chip="net-b" networks={networks} value={second} onChange={engine.setSecond} />
            <button type="button" class="icon-button" aria-label="Remove the second network" onClick={() => engine.setSecond(null)}>
              <Icon name="close" />
            </button>
          </>
        )}
      </div>
      <div class="engine-status">
        <p class="engine-figures figure" data-nodes={view?.visits ?? 0}>
          {said ? (
            <span class="problem" title={said}>
              {said}{' '}
              <button type="button" class="link" onClick={engine.retry}>
                Try again
              </button>
            </span>
          ) : trace && view ? (
            <>
              {view.stage === 'spent' && budget !== null && engine.replay.step === null && (
                <button type="button" class="link ten-times" onClick={() => engine.setBudget(tenTimes(budget))} title="Go on to ten times the budget">
                  ×10
                </button>
              )}
              {STAGES[view.stage] && <b>{STAGES[view.stage]} · </b>}
              {plural(view.visits, 'node')} · {rateText(trace.nodes_per_second)}/s · depth {trace.depth}/{trace.selective_depth}
              {view.kept > 0 && <> · kept {countText(view.kept)}</>}
            </>
          ) : (
            (view && STAGES[view.stage]) || (on ? 'starting' : 'idle')
          )}
        </p>
        <label class="budget" title="Visits at which the search stops">
          <span class="sr-only">Budget</span>
          <input
            type="range"
            aria-label="Budget"
            min={0}
            max={BUDGETS.length - 1}
            value={stopOf(budget)}
            aria-valuetext={budget === null ? 'no end' : plural(budget, 'node')}
            onInput={(event) => engine.setBudget(BUDGETS[Number(event.currentTarget.value)] ?? null)}
          />
          <span class="figure budget-value">{budget === null ? 'no end' : countText(budget)}</span>
        </label>
      </div>
      <div class="progress" aria-hidden="true">
        <span style={{ width: budget && view ? `${Math.min(100, (100 * view.visits) / budget)}%` : '0%' }} />
      </div>
    </section>
  );
}

interface SelectProps {
  label: string;
  /** The colour of its arrows, where there is more than one network. */
  chip: 'net-a' | 'net-b' | null;
  networks: NetworkSummary[];
  value: string;
  onChange: (network: string) => void;
}

function NetworkSelect({ label, chip, networks, value, onChange }: SelectProps) {
  return (
    <span class={chip ? `network-select ${chip}` : 'network-select'}>
      <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {networks.map((network) => (
          <option key={network.id} value={network.id}>
            {network.name} ({network.kind})
          </option>
        ))}
      </select>
    </span>
  );
}
