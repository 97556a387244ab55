/** Activity of the server in a word. Pressing it shows a list, with Stop for whatever can be stopped. */

import { useEffect, useState } from 'preact/hooks';
import { type LinkState, live } from '../server/live.ts';
import { explain, post } from '../server/request.ts';
import type { JobView, ServerView } from '../server/types.ts';
import { Dialog } from './dialog.tsx';

const KINDS = { game: 'is thinking about its move', analysis: 'searches', review: 'reviews a game' };
/** From this time on, a broken connection is reported in a sentence. */
const OFFLINE_AFTER_MS = 10_000;

export function useServer(): { link: LinkState; server: ServerView | null; away: boolean } {
  const [link, setLink] = useState<LinkState>(live.state);
  const [server, setServer] = useState<ServerView | null>(null);
  const [away, setAway] = useState(false);
  useEffect(() => live.watch(setLink), []);
  useEffect(
    () =>
      live.listen('server', (data) => {
        if (data && typeof data === 'object' && !('refused' in data)) setServer(data as ServerView);
      }),
    [],
  );
  const broken = link.kind !== 'open';
  useEffect(() => {
    if (!broken) return setAway(false);
    const timer = setTimeout(() => setAway(true), OFFLINE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [broken]);
  return { link, server, away };
}

export function StatusChip({ link, server }: { link: LinkState; server: ServerView | null }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="chip" data-state={link.kind} title="What the server is doing" onClick={() => setOpen(true)}>
        {textOf(link, server)}
      </button>
      {open && <WorkDialog link={link} server={server} onClose={() => setOpen(false)} />}
    </>
  );
}

function textOf(link: LinkState, server: ServerView | null): string {
  if (link.kind !== 'open') return link.attempt === 0 ? 'connecting' : `reconnecting ${link.attempt}`;
  const searches = server?.jobs.filter((job) => job.kind !== 'review').length ?? 0;
  const [run] = server?.training ?? [];
  if (searches > 0) return searches > 1 ? `searching (${searches})` : 'searching';
  if (server?.jobs.length) return 'reviewing';
  if (run) return `training${run.steps ? ` ${Math.floor((100 * run.step) / run.steps)} %` : ''}`;
  return 'idle';
}

function WorkDialog({ link, server, onClose }: { link: LinkState; server: ServerView | null; onClose: () => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const stop = (job: JobView) => post(`/jobs/${job.id}/stop`).catch((error: unknown) => setProblem(explain(error)));
  const jobs = server?.jobs ?? [];
  const training = server?.training ?? [];
  return (
    <Dialog title="What the server is doing" onClose={onClose}>
      {link.kind !== 'open' && <p class="problem">The server is not answering. Start <code>tabiya play</code> again.</p>}
      {jobs.length === 0 && training.length === 0 && <p>Idle.</p>}
      <ul class="work">
        {jobs.map((job) => (
          <li key={job.id}>
            <span>
              <b>{job.network}</b> {KINDS[job.kind]}
            </span>
            {job.can_stop && (
              <button type="button" onClick={() => void stop(job)}>
                Stop
              </button>
            )}
          </li>
        ))}
        {training.map((run) => (
          <li key={run.name}>
            <span>
              <a href={`/runs/${encodeURIComponent(run.name)}`} onClick={onClose}>
                {run.name}
              </a>{' '}
              is training: step {run.step.toLocaleString('en')}
              {run.steps !== null && ` of ${run.steps.toLocaleString('en')}`}
            </span>
          </li>
        ))}
      </ul>
      {problem && <p class="problem">{problem}</p>}
      {server?.problem && <p class="problem">{server.problem}</p>}
      {server && (
        <p class="note figure">
          Tabiya {server.version} · {server.pages} {server.pages === 1 ? 'page' : 'pages'} open
        </p>
      )}
    </Dialog>
  );
}
