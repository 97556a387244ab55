import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factText } from '../../src/networks/facts.tsx';

test('counts have their thousands apart, seeds and hashes stay as they are', () => {
  assert.equal(factText('Positions seen', '22937600'), '22,937,600');
  assert.equal(factText('Steps', '2800'), '2800');
  assert.equal(factText('Seed', '123456'), '123456');
  assert.equal(factText('Data', '8f7d5ca0'), '8f7d5ca0');
  assert.equal(factText('Positions seen', ''), '');
});
