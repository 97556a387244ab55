import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisTexts, axisWidth } from '../../src/runs/axis-text.ts';
import type { Drawn } from '../../src/runs/columns.ts';
import { endsOf, heightAtEnd } from '../../src/runs/line-ends.ts';

test('places of an axis differ where their numbers do', () => {
  assert.deepEqual(axisTexts([0, 0.0001, 0.0002, 0.0035, 0.01, 0.25, 2.5, 1500]), ['0', '1e-4', '2e-4', '3.5e-3', '0.01', '0.25', '2.5', '1,500']);
  assert.deepEqual(axisTexts([0.1 + 0.2, null]), ['0.3', '']);
});

test('neighbours in a narrow range have as many digits as they need', () => {
  assert.deepEqual(axisTexts([3.38501, 3.38502, 3.38503]), ['3.38501', '3.38502', '3.38503']);
  assert.deepEqual(axisTexts([0.0029991, 0.0029992]), ['2.9991e-3', '2.9992e-3']);
});

test('an axis is as wide as its longest text', () => {
  assert.equal(axisWidth(null), 64);
  assert.equal(axisWidth(['0', '1']), 64);
  assert.ok(axisWidth(['2.9991e-3']) > axisWidth(['2.999']));
});

test('a name stands where its line leaves the window, not at a value beyond it', () => {
  const run: Drawn = { name: 'toy', batch: null, curves: { train: { step: [], values: {} }, held_out: { step: [], values: {} } } as unknown as Drawn['curves'] };
  const columns = [[4, 3, 2, 1], [4, 3, 2, 1], [null, 3.5, null, 1.5]];
  const values = (min: number, max: number) => endsOf({ name: 'loss' }, [run], columns, null, { x: [0, 10, 20, 30], min, max, logarithmic: false }).map((end) => end.value);
  assert.deepEqual(values(0, 30), [1, 1.5, null]);
  assert.deepEqual(values(0, 20), [2, 2.5, null], 'between two points of a line');
  assert.deepEqual(values(0, 5), [3.5, null, null], 'a line that begins later has no name');
  const shown = { x: [0, 10, 20], min: 12, max: 20, logarithmic: true };
  assert.equal(heightAtEnd([3, 2, null], shown), null, 'nor has one that has ended before');
  assert.equal(heightAtEnd([4, null, 1], { ...shown, min: 0, max: 10 }), 2, 'straight on a logarithmic axis');
});
