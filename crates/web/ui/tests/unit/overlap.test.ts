import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overlapOf } from '../../src/results/statistics.ts';

// The published results of COGS188: 5,921 positions, in 4,684 of which the references agree.
test('three circles hold the positions of two references and a player', () => {
  const overlap = overlapOf([1537, 151, 153, 4080], 5921, 4684 / 5921);
  assert.deepEqual({ ...overlap, references: Math.round(overlap.references), different: Math.round(overlap.different) }, { all: 1537, playerAndFirst: 151, playerAndSecond: 153, references: 3147, different: 933 });
});

test('references that never agree share nothing', () => {
  assert.deepEqual(overlapOf([0, 3, 2, 5], 10, 0), { all: 0, playerAndFirst: 3, playerAndSecond: 2, references: 0, different: 5 });
});
