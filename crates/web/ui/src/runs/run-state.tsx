import type { RunSummary } from '../server/types.ts';

/** The state of a run, with the share of its steps that is done. */
export function RunState({ run }: { run: RunSummary }) {
  const share = run.steps ? `${Math.floor((100 * run.step) / run.steps)} %` : '';
  const text = { running: run.self_play ? 'self-play' : `training ${share}`, done: 'done', silent: `stopped ${share}` }[run.status];
  return (
    <span class="run-state" data-status={run.status}>
      {text}
    </span>
  );
}
