import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelText, levelsSentence } from '../../src/analyse/played-level.ts';

const LIKE = { moves: 48, rating: 1173, low: 810, high: 1509 };
const WEAK = { moves: 48, rating: 800, low: null, high: 1140 };

test('a level has its interval, which is open where the ratings of the networks end', () => {
  assert.equal(levelText(LIKE), '1170 (810 to 1510)');
  assert.equal(levelText(WEAK), '800 (up to 1140)');
  assert.equal(levelText({ moves: 48, rating: 2000, low: 1700, high: null }), '2000 (1700 and more)');
  assert.equal(levelText(null), '');
});

test('a review says whom both sides played like, the reader first, and nothing without a level', () => {
  const side = (level: typeof LIKE | typeof WEAK | null, name?: string) => ({ level, name });
  assert.equal(levelsSentence(side(LIKE, 'karmah313'), side(WEAK, 'DianaFruit')), 'White played like 1170 (810 to 1510), Black like 800 (up to 1140)');
  assert.equal(levelsSentence(side(WEAK, 'Tabiya (Beginner 695, 1 node)'), side(LIKE, 'Human')), 'You played like 1170 (810 to 1510), White like 800 (up to 1140)');
  assert.equal(levelsSentence(side(null), side(WEAK)), 'Black played like 800 (up to 1140)');
  assert.equal(levelsSentence(side(null), side(null)), null);
});
