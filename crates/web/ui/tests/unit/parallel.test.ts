import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisOfKey, axisOfOutcome, bestOf, keysToDraw, shortTitles } from '../../src/runs/parallel-axes.ts';
import { type Row, differingKeys, rowOf, sortedBy } from '../../src/runs/run-rows.ts';
import type { RunDetail, RunSummary } from '../../src/server/types.ts';

function row(name: string, loss: number | null, keys: Record<string, string>, top1: number | null = null): Row {
  return { name, step: 1, notes: '', problem: null, unfinished: false, metrics: [loss, top1, null], keys: new Map(Object.entries(keys)) };
}

const ROWS = [
  row('a', 2.5, { blocks: '2', rate: '0.001', kind: 'sgd' }, 0.3),
  row('b', 2.1, { blocks: '10', rate: '0.1', kind: 'muon' }, 0.5),
  row('c', null, { blocks: '6', kind: 'adam' }),
];

const rounded = (value: number | null | undefined) => (value === null || value === undefined ? null : Number(value.toFixed(3)));

test('a key of numbers has them as its heights, over a wide range by their logarithm', () => {
  const blocks = axisOfKey(ROWS, 'blocks');
  assert.deepEqual(ROWS.map((one) => rounded(blocks.heightOf(one))), [0, 1, 0.5]);
  assert.deepEqual(blocks.ticks.map(({ text }) => text), ['2', '6', '10']);
  const rate = axisOfKey([...ROWS, row('d', 1, { rate: '0.01' })], 'rate');
  assert.deepEqual([rounded(rate.heightOf(row('d', 1, { rate: '0.01' }))), rate.heightOf(ROWS[2] as Row)], [0.5, null]);
});

test('a key of words spreads them, and a key without a choice stands in the middle', () => {
  const kind = axisOfKey(ROWS, 'kind');
  assert.deepEqual(kind.ticks, [{ text: 'adam', at: 0 }, { text: 'muon', at: 0.5 }, { text: 'sgd', at: 1 }]);
  assert.deepEqual(ROWS.map(kind.heightOf), [1, 0.5, 0]);
  assert.equal(axisOfKey([ROWS[0] as Row], 'blocks').heightOf(ROWS[0] as Row), 0.5);
});

test('ticks that would touch are left out, the ends are not', () => {
  const rows = ['1', '1.01', '5', '9.99', '10'].map((width) => row(width, 1, { width }));
  assert.deepEqual(axisOfKey(rows, 'width').ticks.map(({ text }) => text), ['1', '5', '10']);
});

test('the last axis is the result, and the best is the lowest loss or the highest share', () => {
  const loss = axisOfOutcome(ROWS, 0);
  assert.deepEqual([loss.title, ...loss.ticks.map(({ text }) => text)], ['policy loss', '2.1000', '2.5000']);
  assert.deepEqual(ROWS.map(loss.heightOf), [1, 0, null]);
  assert.deepEqual(axisOfOutcome(ROWS, 1).ticks.map(({ text }) => text), ['30.0 %', '50.0 %']);
  assert.deepEqual([bestOf(ROWS, 0), bestOf(ROWS, 1), bestOf(ROWS, 2)], ['b', 'b', null]);
});

test('keys that name the run, and those beyond seven, are in the table only', () => {
  const titled = Array.from({ length: 10 }, (_, index) => row(`run${index}`, 1, { title: `run ${index}`, ...Object.fromEntries(Array.from({ length: 9 }, (_, key) => [`k${key}`, String(index)])) }));
  const { drawn, left } = keysToDraw(titled, differingKeys(titled));
  assert.deepEqual(drawn, ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6']);
  assert.deepEqual(left, ['title', 'k7', 'k8']);
});

test('keys stand above their axes without their tables, unless two have one name', () => {
  assert.deepEqual(shortTitles(['network.blocks', 'network.kind', 'optimiser.kind', 'policy loss']), ['blocks', 'network.kind', 'optimiser.kind', 'policy loss']);
});

test('a row has the exported results, else those of the newest validation; runs without a value are sorted last', () => {
  const run = { name: 'a', step: 20, problem: null } as RunSummary;
  const detail = { notes: '', recipe: '[network]\nblocks = 4\n', outcome: { validation: { policy_loss: 2 } }, validation: { policy_loss: 3 } } as unknown as RunDetail;
  assert.deepEqual([rowOf(run, detail).metrics[0], rowOf(run, detail).unfinished], [2, false]);
  const going = rowOf(run, { ...detail, outcome: null } as unknown as RunDetail);
  assert.deepEqual([going.metrics[0], going.unfinished, going.keys.get('network.blocks')], [3, true, '4']);
  const selfPlay = rowOf(run, { ...detail, outcome: { ending: 'finished' } } as unknown as RunDetail);
  assert.deepEqual([selfPlay.metrics[0], selfPlay.unfinished], [3, false], 'its outcome has no validation');
  assert.deepEqual(rowOf(run, undefined).metrics, [null, null, null]);
  for (const falling of [false, true]) assert.equal(sortedBy(ROWS, 'policy_loss', falling).at(-1)?.name, 'c');
  assert.deepEqual(sortedBy(ROWS, 'key blocks', true).map(({ name }) => name), ['b', 'c', 'a']);
});
