import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generationsOf } from '../../src/runs/generations.ts';

test('a self-play log becomes a row for each generation, and only those that took over have an Elo', () => {
  const column = (...values: (number | null)[]) => values;
  const found = generationsOf({
    step: [1, 2, 3],
    values: {
      'selfplay.games': column(200, 200, null),
      'selfplay.plies': column(80.5, 90, 100),
      'selfplay.white': column(0.25, 0.5, 0),
      'selfplay.drawn': column(0.5, 0.25, 1),
      'selfplay.black': column(0.25, 0.25, 0),
      'selfplay.gate_score': column(0.6, 0.5, 1),
      'selfplay.took_over': column(1, 0, 1),
      'selfplay.elo': column(70, null, null),
      'selfplay.elo_lower': column(20, null, null),
      'selfplay.elo_upper': column(120, null, null),
    },
  });
  assert.deepEqual(found.map((one) => one.number), [1, 2, 3]);
  assert.deepEqual(found.map((one) => one.tookOver), [true, false, true]);
  assert.deepEqual(found[0]?.elo, { value: 70, lower: 20, upper: 120 });
  assert.equal(found[2]?.elo, null, 'won without a loss: there is no number');
  assert.deepEqual(found[0]?.results, [0.25, 0.5, 0.25]);
  assert.equal(found[1]?.surprise, null);
  assert.deepEqual(generationsOf({ step: [1], values: { policy_loss: [2] } }), [], 'a training has none');
});
