import type { RunSummary } from '../server/types.ts';
import { RunState } from './run-state.tsx';

interface Props {
  run: RunSummary;
  /** True if its curves are drawn. */
  chosen: boolean;
  onToggle(name: string): void;
}

/** A run in the list of all runs. */
export function RunEntry({ run, chosen, onToggle }: Props) {
  return (
    <li>
      <input type="checkbox" aria-label={`Draw ${run.name}`} checked={chosen} onChange={() => onToggle(run.name)} />
      <a href={`/runs/${encodeURIComponent(run.name)}`} aria-current={chosen ? 'page' : undefined}>
        <b>{run.name}</b>
        <RunState run={run} />
      </a>
      {run.problem && <p class="problem">{run.problem}</p>}
    </li>
  );
}
