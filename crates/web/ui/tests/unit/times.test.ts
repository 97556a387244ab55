import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeText, timesOf } from '../../src/analyse/times.ts';
import { mainLine, readPgn } from '../../src/analyse/tree.ts';

function times(pgn: string): (number | null)[] {
  const [game] = readPgn(pgn).games;
  assert.ok(game);
  return timesOf(mainLine(game.root), game.headers.get('TimeControl'));
}

test('times come from the clocks with their increment, or from what was noted', () => {
  const clocks = '1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:58]} 2. Nf3 {[%clk 0:02:52]} Nc6 {[%clk 0:02:59]} 3. Bb5 a6 {[%clk 0:02:30]} *';
  // The first move of White took no time, and two seconds are added after every other move.
  assert.deepEqual(times(`[TimeControl "180+2"]\n\n${clocks}`), [null, 0, 4, 10, 1, null, 31]);
  assert.deepEqual(times(clocks), [null, null, null, 8, 0, null, 29], 'without a header there is no increment and no beginning');
  assert.deepEqual(times('1. e4 {[%emt 0:00:07]} e5 {[%emt 0:01:05] [%clk 0:01:00]} *'), [null, 7, 65]);
  assert.deepEqual(times('1. e4 e5 *'), [null, null, null]);
});

test('times are told in seconds and minutes', () => {
  assert.deepEqual([0.44, 7, 9.96, 12.4, 59.6, 125].map(timeText), ['0.4 s', '7 s', '10 s', '12 s', '1:00 min', '2:05 min']);
});
