import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisText } from '../../src/runs/axis-text.ts';

test('places of an axis differ where their numbers do', () => {
  assert.deepEqual([0, 0.0001, 0.0002, 0.0035, 0.01, 0.25, 2.5, 1500].map(axisText), ['0', '1e-4', '2e-4', '3.5e-3', '0.01', '0.25', '2.5', '1,500']);
  assert.equal(axisText(0.1 + 0.2), '0.3');
  assert.equal(axisText(null), '');
});
