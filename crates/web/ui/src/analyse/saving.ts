/**
 * Saves analyses on the server, one request at a time. What could not be sent waits until the server answers again, also while
 * another screen is shown.
 */

import { randomName } from '../random-name.ts';
import { live } from '../server/live.ts';
import { Refused, explain, post } from '../server/request.ts';
import type { AnalysisDraft, AnalysisSummary } from '../server/types.ts';

export type Draft = Omit<AnalysisDraft, 'revision'>;

/** What became of an analysis: saved; kept under another id, because another page has changed it; or refused. */
export type Outcome =
  | { kind: 'saved'; id: string; revision: number }
  | { kind: 'copied'; id: string; copy: string }
  | { kind: 'refused'; id: string; problem: string };

/** The newest revision of each analysis that this tab has read or saved. */
const revisions = new Map<string, number>();
/** What is not saved yet. */
const waiting = new Map<string, Draft>();
const listeners = new Set<(outcome: Outcome) => void>();
let busy = false;
let reopening = false;

/** An id for a new analysis. Those of games, which begin with a digit, are different. */
export function newId(): string {
  return `a${randomName()}`;
}

export function revisionOf(id: string): number {
  return revisions.get(id) ?? 0;
}

/** Notes which revision of an analysis was read. */
export function noteRevision(id: string, revision: number): void {
  if (revision > revisionOf(id)) revisions.set(id, revision);
}

export function unsaved(id: string): Draft | undefined {
  return waiting.get(id);
}

/** Calls back with whatever becomes of an analysis, until the returned function is called. */
export function onOutcome(listener: (outcome: Outcome) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Saves an analysis; only its newest state is sent. */
export function save(id: string, draft: Draft): void {
  waiting.set(id, draft);
  if (!reopening) live.onReopen(() => void work());
  reopening = true;
  void work();
}

async function work(): Promise<void> {
  if (busy) return;
  busy = true;
  for (let [next] = waiting; next; [next] = waiting) {
    if (!(await sent(...next))) break;
  }
  busy = false;
}

/** Sends an analysis; false if the server does not answer. */
async function sent(id: string, draft: Draft): Promise<boolean> {
  let outcome: Outcome;
  try {
    const { revision } = await post<AnalysisSummary>(`/analyses/${id}`, { revision: revisionOf(id), ...draft });
    revisions.set(id, revision);
    if (waiting.get(id) === draft) waiting.delete(id);
    outcome = { kind: 'saved', id, revision };
  } catch (error) {
    if (!(error instanceof Refused) || error.status === 0) return false;
    const newest = waiting.get(id) ?? draft;
    waiting.delete(id);
    if (error.status === 409) {
      const copy = newId();
      waiting.set(copy, newest);
      outcome = { kind: 'copied', id, copy };
    } else outcome = { kind: 'refused', id, problem: explain(error) };
  }
  for (const listener of listeners) listener(outcome);
  return true;
}
