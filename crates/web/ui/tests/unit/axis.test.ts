import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisTexts, axisWidth } from '../../src/runs/axis-text.ts';
import type { Drawn } from '../../src/runs/columns.ts';
import { endsOf } from '../../src/runs/line-ends.ts';

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

test('a name stands at the last value shown of its line, not at one beyond the window', () => {
  const run: Drawn = { name: 'toy', batch: null, curves: { train: { step: [], values: {} }, held_out: { step: [], values: {} } } as unknown as Drawn['curves'] };
  const columns = [[4, 3, 2, 1], [4, 3, 2, 1], [null, 3.5, null, 1.5]];
  const values = (until: number) => endsOf({ name: 'loss' }, [run], columns, null, until).map((end) => end.value);
  assert.deepEqual(values(3), [1, 1.5, null]);
  assert.deepEqual(values(2), [2, 3.5, null]);
  assert.deepEqual(values(0), [4, null, null]);
});
