import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factText, netText } from '../../src/networks/facts.tsx';

test('counts have their thousands apart, seeds and hashes stay as they are', () => {
  assert.equal(factText('Positions seen', '22937600'), '22,937,600');
  assert.equal(factText('Steps', '2800'), '2800');
  assert.equal(factText('Seed', '123456'), '123456');
  assert.equal(factText('Data', '8f7d5ca0'), '8f7d5ca0');
  assert.equal(factText('Positions seen', ''), '');
});

test('a network has the text that --net takes, and one that is given a rating has it as an option', () => {
  const text = (id: string, file: string | null, rating: number | null) => netText({ id, file, kind: rating === null ? 'own' : 'human', rating });
  assert.equal(text('default', null, null), 'default');
  assert.equal(text('run-toy', 'runs/toy/network.tabiya', null), 'runs/toy/network.tabiya');
  assert.equal(text('human-1500', null, 1500), 'human --option PlayerRating=1500');
  assert.equal(text('maia3.onnx-1500', 'nets/maia3.onnx', 1500), 'nets/maia3.onnx --option PlayerRating=1500');
  assert.equal(text('maia-1900.pb.gz', 'nets/maia-1900.pb.gz', 1900), 'nets/maia-1900.pb.gz');
});
