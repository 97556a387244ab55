import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftText } from '../../src/runs/left-text.ts';
import { METRICS, isLogged, valueText } from '../../src/runs/metrics.ts';
import { RunEntry } from '../../src/runs/run-entry.tsx';
import type { RunSummary } from '../../src/server/types.ts';

const GOOD: RunSummary = {
  name: 'good',
  status: 'done',
  step: 20,
  steps: 20,
  batch: 256,
  positions_per_second: 900,
  command: 'train',
  self_play: null,
  log_bytes: 80,
  silent_seconds: 0,
  modified: 0,
  problem: null,
};

/** Elements that a component draws: their classes or names, and their texts. */
function drawn(part: unknown): [kind: string, text: string][] {
  if (Array.isArray(part)) return part.flatMap(drawn);
  if (!part || typeof part !== 'object' || !('props' in part)) return [];
  const { type, props } = part as { type: unknown; props: { class?: string; children?: unknown } };
  const inside: [string, string][] = typeof props.children === 'string' ? [[props.class ?? String(type), props.children]] : [];
  return [...inside, ...drawn(props.children)];
}

test('a run says in the list which of its files cannot be read, and one without a problem nothing', () => {
  const entry = (run: RunSummary) => drawn(RunEntry({ run, chosen: false, onToggle: () => undefined }));
  assert.deepEqual(entry(GOOD), [['b', 'good']]);
  const problem = 'runs/broken/summary.json: found no JSON (EOF while parsing a string at line 1 column 14)';
  assert.deepEqual(entry({ ...GOOD, name: 'broken', problem }), [['b', 'broken'], ['problem', problem]]);
});

test('a run of which nothing is heard promises no time, long before it counts as stopped', () => {
  const going: RunSummary = { ...GOOD, status: 'running', step: 500, steps: 10_000, batch: 64, positions_per_second: 1000 };
  assert.equal(leftText(going, 3), 'about 11 minutes left');
  assert.equal(leftText({ ...going, steps: 1_000_000 }, 3), 'about 17.8 hours left');
  assert.equal(leftText(going, 75.4), 'nothing new for 75 seconds: it may have been stopped');
  assert.match(leftText({ ...going, positions_per_second: 40 }, 75), /left$/, 'a slow one has its entries farther apart');
  assert.equal(leftText({ ...going, steps: null }, 3), '');
  assert.equal(leftText({ ...going, status: 'silent' }, 400), '', 'its state says it');
  assert.equal(leftText(GOOD, 400), '');
});

test('load and memory of a GPU have charts where the log has them, and no place elsewhere', () => {
  const log = (line: Record<string, number>) => ({ train: { step: [20], values: Object.fromEntries(Object.entries(line).map(([name, value]) => [name, [value]])) }, held_out: { step: [], values: {} } });
  const charts = (line: Record<string, number>) => METRICS.filter((metric) => isLogged(log(line), metric)).map(({ name }) => name);
  const onCpu = { policy_loss: 2, busy_cores: 1.5, resident_bytes: 5e8 };
  assert.deepEqual(charts(onCpu), ['Policy loss', 'Cores in use', 'Memory, MB']);
  assert.deepEqual(charts({ ...onCpu, gpu_load: 0.5, gpu_bytes: 2e9 }), ['Policy loss', 'Cores in use', 'Memory, MB', 'GPU in use', 'GPU memory, MB']);
  const text = (name: string, value: number) => METRICS.filter((metric) => metric.name === name).map((metric) => valueText(metric, value));
  assert.deepEqual([text('GPU in use', 0.375), text('GPU memory, MB', 2e9)], [['37.5 %'], ['2000']]);
});
