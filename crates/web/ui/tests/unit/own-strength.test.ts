import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenLevel, loadChoices, offersOf } from '../../src/play/choices.ts';
import { afterGame, nearestLevel, ownStrength, rangeOf } from '../../src/play/own-strength.ts';
import type { GameSummary, Level } from '../../src/server/types.ts';

const LEVELS: Level[] = [600, 1000, 1400].map((elo) => ({
  name: `Level ${elo}`,
  network: 'default',
  nodes: 1,
  temperature: 0,
  measurement: { elo, low: elo - 50, high: elo + 50, games: 100, conditions: '', setting: '' },
}));
const UNMEASURED: Level = { name: 'Full strength', network: 'default', nodes: 4000, temperature: 0, measurement: null };

function game(started: number, changes: Partial<GameSummary>): GameSummary {
  return { id: String(started), started, person: 'white', opponent: 'default', level: 'Level 1000', help: false, pace: '', first_moves: [], plies: 40, end: 'checkmate', result: '1-0', ...changes };
}

test('a game moves the estimate as the formulas of Glicko say', () => {
  // The first game of the paper's example: 1500 (200) wins against 1400 (30), expected 0.639.
  const { elo, deviation, games } = afterGame({ elo: 1500, deviation: 200, games: 3 }, { elo: 1400, deviation: 30 }, 1);
  assert.deepEqual([Math.round(elo), Math.round(deviation), games], [1563, 175, 4]);
  const [low, high] = rangeOf({ elo, deviation, games });
  assert.ok(Math.abs(high - low - 2 * 1.96 * deviation) < 1e-9);
});

test('only games count that ended without help against a level with a rating, the oldest first', () => {
  const without = [game(1, { help: true }), game(2, { level: 'Full strength' }), game(3, { level: null }), game(4, { result: '*', end: null })];
  assert.equal(ownStrength(without, [...LEVELS, UNMEASURED]), null);
  const won = ownStrength([...without, game(5, {})], LEVELS);
  const lost = ownStrength([game(5, { person: 'black' })], LEVELS);
  const drawn = ownStrength([game(5, { result: '1/2-1/2' })], LEVELS);
  assert.ok(won && lost && drawn);
  assert.ok(won.elo > 1100 && Math.abs(won.elo + lost.elo - 2000) < 1e-6 && drawn.elo === 1000);
  assert.equal(won.games, 1);
  // The newest comes first in the server's list.
  const list = [game(7, { level: 'Level 1400', result: '0-1' }), game(6, {})];
  assert.deepEqual(ownStrength(list, LEVELS), ownStrength([...list].reverse(), LEVELS));
});

test('the estimate comes near a player who wins half of the games, and never stops following', () => {
  const even = Array.from({ length: 200 }, (_, at) => game(at, { level: 'Level 1400', result: at % 2 ? '1-0' : '0-1' }));
  const own = ownStrength(even, LEVELS);
  assert.ok(own && Math.abs(own.elo - 1400) < 30, String(own?.elo));
  const better = ownStrength([...even, game(300, { level: 'Level 1400' })], LEVELS);
  assert.ok(own && better && better.elo > own.elo + 5);
});

test('an opponent that follows is the level nearest to the strength, and the chosen one before the first game', () => {
  assert.deepEqual([nearestLevel(LEVELS, 0), nearestLevel([UNMEASURED, ...LEVELS], 1190), nearestLevel([UNMEASURED], 1000)], [0, 2, null]);
  const choices = { ...loadChoices(), strength: 'level' as const, level: 0, follow: true };
  assert.equal(chosenLevel(choices, offersOf(LEVELS, []))?.name, 'Level 600');
  const games = [game(1, {}), game(2, {}), game(3, { level: 'Level 1400' })];
  assert.equal(chosenLevel(choices, offersOf(LEVELS, [], games))?.name, 'Level 1400');
  assert.equal(chosenLevel({ ...choices, follow: false }, offersOf(LEVELS, [], games))?.name, 'Level 600');
});
