import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Arrangement, USUAL, arranged, isUsual, moved, withPin } from '../../src/runs/chart-order.ts';

const NAMES = ['policy', 'value', 'elo', 'rate', 'speed'];
/** A run that does not play itself. */
const SHOWN = NAMES.filter((name) => name !== 'elo');
const inOrder = (arrangement: Arrangement) => arranged(NAMES.map((name) => ({ name })), arrangement).map(({ name }) => name).join(' ');

test('pinned charts come first, the others keep the order that the reader gave them', () => {
  assert.equal(inOrder(USUAL), NAMES.join(' '));
  assert.equal(inOrder({ pinned: ['speed', 'rate'], order: ['elo'] }), 'speed rate elo policy value');
  assert.equal(inOrder({ pinned: ['gone', 'speed'], order: ['speed', 'gone'] }), 'speed policy value elo rate', 'names of other versions are passed over');
});

test('a chart is pinned behind the pinned ones, and unpinned before the others', () => {
  const one = withPin(NAMES, USUAL, 'speed');
  const two = withPin(NAMES, one, 'value');
  assert.equal(inOrder(two), 'speed value policy elo rate');
  const back = withPin(NAMES, two, 'speed');
  assert.deepEqual([inOrder(back), back.pinned], ['value speed policy elo rate', ['value']]);
  assert.deepEqual([isUsual(USUAL), isUsual(one)], [true, false]);
});

test('a chart moves past the next one that is shown, and pinned ones among themselves', () => {
  const later = moved(NAMES, SHOWN, USUAL, 'value', 1);
  assert.equal(later && inOrder(later), 'policy elo rate value speed', 'one move is seen');
  const earlier = later && moved(NAMES, SHOWN, later, 'speed', -1);
  assert.equal(earlier && inOrder(earlier), 'policy elo rate speed value');
  assert.equal(moved(NAMES, SHOWN, USUAL, 'policy', -1), null);
  assert.equal(moved(NAMES, SHOWN, USUAL, 'speed', 1), null);
  const pinned = { pinned: ['rate', 'speed'], order: [] };
  assert.equal(moved(NAMES, SHOWN, pinned, 'speed', 1), null, 'a pinned chart stays before the others');
  const swapped = moved(NAMES, SHOWN, pinned, 'speed', -1);
  assert.equal(swapped && inOrder(swapped), 'speed rate policy value elo');
});
