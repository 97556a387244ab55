/** The engine's two lines: the switch and the networks in the first; the progress and the budget in the second. */

import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { live } from '../server/live.ts';
import type { JobView, NetworkSummary, SearchTrace, ServerView } from '../server/types.ts';
import { LayerButtons } from './layer-buttons.tsx';
import { countText, nameOf, nounFor, plural, rateText, shortCount } from './numbers.ts';
import { useAnalysis } from './store.tsx';

/** Stops of the slider: visits, and finally no limit. */
export const BUDGETS: (number | null)[] = [
  1, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, null,
];

/** A budget ten times as large, up to the end of the slider. */
function tenTimes(budget: number): number | null {
  return BUDGETS.find((step) => step === null || step >= 10 * budget) ?? null;
}

/** The stop for a budget, which may lie between two stops. */
function stopOf(budget: number | null): number {
  const at = BUDGETS.findIndex((step) => step === null || (budget !== null && step >= budget));
  return budget === null ? BUDGETS.length - 1 : at;
}

/** Groups in the list of networks. */
const KINDS: [NetworkSummary['kind'], string][] = [
  ['bundled', 'Built in'],
  ['own', 'Trained here'],
  ['lc0', 'Lc0'],
  ['human', 'Plays like people'],
  ['system', 'Reproduced systems'],
  ['baseline', 'Baselines'],
];

const STAGES = {
  waiting: 'waiting for a free place',
  running: '',
  spent: 'done',
  proven: 'solved',
  stopped: 'paused',
  over: 'the game is over',
  failed: 'failed',
};

export function EngineBar() {
  return (
    <section class="engine-bar" aria-label="Engine">
      <Switches />
      <div class="engine-status">
        <Status />
        <Budget />
      </div>
      <Progress />
    </section>
  );
}

function Switches() {
  const { on, setOn, networks, network, setNetwork, second, setSecond, toggleSecond } = useAnalysis('engine');
  const { layers, choose } = useAnalysis('choices');
  return (
    <div class="engine-row">
      <button type="button" class="engine-switch" aria-label={on ? 'Pause' : 'Analyse'} onClick={() => setOn(!on)} title="Engine on or off (l)">
        <Icon name={on ? 'pause' : 'play'} /> <span>{on ? 'Pause' : 'Analyse'}</span>
      </button>
      <NetworkSelect label="Network" chip={second === null ? null : 'net-a'} networks={networks} value={network} onChange={setNetwork} />
      {second === null ? (
        <button type="button" class="icon-button" aria-label="Second network" onClick={toggleSecond} title="Add a second network (n)">
          <Icon name="plus" />
        </button>
      ) : (
        <>
          <NetworkSelect label="Second network" chip="net-b" networks={networks} value={second} onChange={setSecond} />
          <button type="button" class="icon-button" aria-label="Remove the second network" onClick={() => setSecond(null)}>
            <Icon name="close" />
          </button>
        </>
      )}
      <LayerButtons layers={layers} onChange={(next) => choose({ layers: next })} />
    </div>
  );
}

function Budget() {
  const { budget, setBudget } = useAnalysis('engine');
  return (
    <label class="budget" title="Node limit of the search, in visits">
      <span class="sr-only">Budget</span>
      <input
        type="range"
        aria-label="Budget"
        min={0}
        max={BUDGETS.length - 1}
        value={stopOf(budget)}
        aria-valuetext={budget === null ? 'no limit' : plural(budget, 'node')}
        onInput={(event) => setBudget(BUDGETS[Number(event.currentTarget.value)] ?? null)}
      />
      <span class="figure budget-value">{budget === null ? 'no limit' : countText(budget)}</span>
    </label>
  );
}

function Progress() {
  const { budget } = useAnalysis('engine');
  const { view } = useAnalysis('search');
  return (
    <div class="progress" aria-hidden="true">
      <span style={{ width: budget && view ? `${Math.min(100, (100 * view.visits) / budget)}%` : '0%' }} />
    </div>
  );
}

/** Progress of the search, or of both searches with two networks. */
function Status() {
  const { on, budget, setBudget, second, retry } = useAnalysis('engine');
  const { view, viewB, problem, kept, replay } = useAnalysis('search');
  const trace = view?.trace;
  const said = problem ?? view?.message;
  const b = second === null ? null : viewB;
  return (
    <p class="engine-figures figure" data-nodes={view?.visits ?? 0}>
      {said ? (
        <span class="problem" title={said}>
          {said}{' '}
          <button type="button" class="link" onClick={retry}>
            Try again
          </button>
        </span>
      ) : kept !== null ? (
        <>
          <b>seen before · </b>
          {plural(kept, 'node')}
          {on && trace && view && <> · now {countText(view.visits)}</>}
        </>
      ) : trace && view ? (
        // The most important parts come first. A part that does not fit is left out as a whole, starting with the last.
        <span class="engine-parts">
          {view.stage === 'spent' && budget !== null && replay.step === null && (
            <button type="button" class="link ten-times" onClick={() => setBudget(tenTimes(budget))} title="Continue to ten times the budget">
              <span class="unit">Search on (</span>×10<span class="unit">)</span>
            </button>
          )}
          {STAGES[view.stage] && <b>{view.stage === 'proven' ? solvedText(trace) : STAGES[view.stage]} ·</b>}{' '}
          <span class="engine-count">
            {shortCount(view.visits)}
            <span class="unit"> {nounFor(view.visits, 'node')}</span>
          </span>{' '}
          <span class="engine-speed">· {rateText(trace.nodes_per_second)}/s</span>{' '}
          {b?.trace && (
            <span class="second">
              · B <span class="unit">{shortCount(b.visits)} · </span>
              {rateText(b.trace.nodes_per_second)}/s
            </span>
          )}{' '}
          <span>
            · depth {trace.depth}/{trace.selective_depth}
          </span>{' '}
          {view.kept > 0 && <span>· kept {shortCount(view.kept)}</span>}
        </span>
      ) : view?.stage === 'waiting' ? (
        <Waiting />
      ) : (
        (view && STAGES[view.stage]) || (on ? 'starting' : 'idle')
      )}
    </p>
  );
}

/** Names the winner of a position that was solved by a mate or by endgame tables. */
export function solvedText({ wdl, fen }: Pick<SearchTrace, 'wdl' | 'fen'>): string {
  if (!wdl || Math.max(wdl.win, wdl.draw, wdl.loss) < 0.99) return STAGES.proven;
  const whiteToMove = fen.split(' ')[1] === 'w';
  if (wdl.draw >= 0.99) return 'solved: a draw';
  return `solved: ${nameOf(wdl.win > wdl.loss === whiteToMove ? 'white' : 'black')} wins`;
}

/** Lists the searches in progress while this one waits for a free place. */
function Waiting() {
  const [jobs, setJobs] = useState<JobView[]>([]);
  useEffect(() => live.listen('server', (data) => setJobs((data as ServerView).jobs ?? [])), []);
  // Sorted because two searches that begin together are listed in either order.
  const held = jobs.filter((job) => job.kind === 'analysis').map((job) => job.network).sort();
  const text = held.length === 0 ? STAGES.waiting : `waiting for ${held.length === 1 ? 'a search' : `${held.length} searches`} with ${[...new Set(held)].join(', ')}`;
  return <span title={text}>{text}</span>;
}

interface SelectProps {
  label: string;
  /** The colour of its arrows, if there is more than one network. */
  chip: 'net-a' | 'net-b' | null;
  networks: NetworkSummary[];
  value: string;
  onChange: (network: string) => void;
}

function NetworkSelect({ label, chip, networks, value, onChange }: SelectProps) {
  return (
    <span class={chip ? `network-select ${chip}` : 'network-select'}>
      <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {KINDS.map(([kind, name]) => {
          const own = networks.filter((network) => network.kind === kind);
          return own.length === 0 ? null : (
            <optgroup key={kind} label={name}>
              {own.map((network) => (
                <option key={network.id} value={network.id}>
                  {network.name}
                </option>
              ))}
            </optgroup>
          );
        })}
      </select>
    </span>
  );
}
