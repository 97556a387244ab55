/** What a run is doing, in a line, and how to go on with one that has stopped. */

import { useEffect, useState } from 'preact/hooks';
import { plural } from '../analyse/numbers.ts';
import type { RunSummary, SelfPlayView } from '../server/types.ts';
import { CopyCommand } from '../shell/copy-command.tsx';
import { leftText } from './left-text.ts';
import { RunState } from './run-state.tsx';

/** Arguments besides recipe and name with which a command resumes a run; a command not listed here starts over. */
const RESUME: Record<string, string> = { train: ' --resume', selfplay: '' };

/** Said of a run that has stopped, with the command to go on. */
export function Silent({ run }: { run: RunSummary }) {
  return (
    <p class="note">
      The run has stopped, {run.self_play ? `in generation ${run.self_play.generation}` : `at step ${run.step.toLocaleString('en')}`}.
      {run.command in RESUME && !run.problem && (
        <>
          {' '}
          To resume: <CopyCommand text={`tabiya ${run.command} RECIPE --name ${run.name}${RESUME[run.command]}`} />
        </>
      )}
    </p>
  );
}

export function Headline({ run }: { run: RunSummary }) {
  const silence = useSilence(run);
  const left = leftText(run, silence);
  return (
    <p class="figure run-headline">
      <RunState run={run} /> ·{' '}
      {run.self_play ? <SelfPlayState play={run.self_play} learned={run.step} /> : <>step {run.step.toLocaleString('en')}</>}
      {run.steps !== null && !run.self_play && <> of {run.steps.toLocaleString('en')}</>}
      {run.positions_per_second !== null && <> · {Math.round(run.positions_per_second).toLocaleString('en')} positions/s</>}
      {left && <> · {left}</>}
    </p>
  );
}

/** Seconds since the last entry in a run's log: the server's count, which continues here while the server has nothing to say. */
function useSilence(run: RunSummary): number {
  const [since, setSince] = useState(0);
  const running = run.status === 'running';
  useEffect(() => {
    const start = performance.now();
    setSince(0);
    if (!running) return undefined;
    const timer = setInterval(() => setSince((performance.now() - start) / 1000), 1000);
    return () => clearInterval(timer);
  }, [running, run.name, run.log_bytes, run.silent_seconds]);
  return run.silent_seconds + since;
}

/** Progress of a self-play run before its log has a line. */
function SelfPlayState({ play, learned }: { play: SelfPlayView; learned: number }) {
  const { generation, games, games_an_hour: rate } = play;
  return (
    <>
      generation {generation}: {plural(games, 'game')}
      {rate !== null && <> · {Math.round(rate).toLocaleString('en')} games an hour</>} · {plural(learned, 'generation')} learned
    </>
  );
}
