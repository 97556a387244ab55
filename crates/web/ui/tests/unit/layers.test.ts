import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decadesOf, heightOf, layersOf, lengthsOf } from '../../src/runs/layers.ts';
import { keysOf } from '../../src/runs/recipe-keys.ts';
import { filtered } from '../../src/runs/run-rows.ts';

const SERIES = {
  step: [1, 200, 400],
  values: {
    'block10.first.gradient': [1, null, 0.01],
    'block2.first.gradient': [0.5, 0.25, 0],
    'block2.first.update': [0.1, 0.01, 0.001],
    'block2.first.weights': [10, 10, null],
  },
};

test('layers stand in the order of their numbers, with the points that their log has', () => {
  assert.deepEqual(layersOf([SERIES]), ['block2.first', 'block10.first']);
  assert.deepEqual(lengthsOf(SERIES, 'block10.first', 'gradient'), [{ step: 1, value: 1 }, { step: 400, value: 0.01 }]);
  assert.deepEqual(lengthsOf(SERIES, 'block2.first', 'relative'), [{ step: 1, value: 0.01 }, { step: 200, value: 0.001 }]);
  assert.deepEqual(lengthsOf({ step: [1], values: {} }, 'block2.first', 'update'), [], 'logs of older versions');
});

test('lengths stand on one logarithmic axis, and what is zero at its bottom', () => {
  const decades = decadesOf([5, 0.02, 0]);
  assert.deepEqual(decades, { low: -2, high: 1 });
  assert.deepEqual([1, 0.1, 0.01, 0, 1e-9, 10].map((value) => heightOf(value, { low: -2, high: 0 })), [0, 0.5, 1, 1, 1, 0]);
  assert.equal(decadesOf([0]), null);
  assert.deepEqual(decadesOf([1, 1]), { low: 0, high: 1 }, 'a line that does not move has room');
  const ofManyRuns = Array.from({ length: 300_000 }, (_, index) => 1 + (index % 100));
  assert.deepEqual(decadesOf(ofManyRuns), { low: 0, high: 2 }, 'more values than a call takes arguments');
});

test('runs are found by words of their name, their notes and their keys', () => {
  const row = (name: string, notes: string, keys: [string, string][]) => ({ name, notes, step: 1, problem: null, unfinished: false, metrics: [], keys: new Map(keys) });
  const rows = [row('wide', 'kept #baseline', [['network.blocks', '1'], ['optimiser.kind', '"sgd"']]), row('deep', '', [['network.blocks', '10'], ['optimiser.kind', '"muon"']])];
  const found = (filter: string) => filtered(rows, filter).map(({ name }) => name).join();
  assert.equal(found(''), 'wide,deep');
  assert.equal(found('DEEP'), 'deep');
  assert.equal(found('#baseline'), 'wide');
  assert.equal(found('blocks=1'), 'wide', 'ten is another value');
  assert.equal(found('network.blocks=10 kind=muon'), 'deep');
  assert.equal(found('blocks=1 kind=muon'), '');
  assert.equal(found('sgd'), 'wide');
});

test('keys of a recipe have the names of their tables, and words no quotes', () => {
  const keys = keysOf('title = "a: b"\n[network]\nblocks = 10\nkinds = ["x", "y"]\n');
  assert.deepEqual([...keys], [['title', 'a: b'], ['network.blocks', '10'], ['network.kinds', '["x", "y"]']]);
});
