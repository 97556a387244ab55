import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accuracyByPhase, momentsOf, phasesOf } from '../../src/analyse/phases.ts';
import type { ReviewPoint } from '../../src/server/types.ts';

const FULL = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const SIX = '2rr2k1/ppp2pp1/7p/3b4/8/5N1P/PPP2PP1/2RR2K1 w - - 0 20';
const PROMOTED = '2rr2k1/1pp2pp1/7p/q2b4/8/5N1P/PPP2PP1/2RR2K1 w - - 0 40';

function point(ply: number, accuracy: number | null, loss: number | null, judgement: ReviewPoint['judgement'] = 'fine'): ReviewPoint {
  return { ply, accuracy, loss, judgement } as ReviewPoint;
}

test('a game has an opening as far as it has a name, and an endgame from six pieces on', () => {
  assert.deepEqual(phasesOf([FULL, FULL, FULL, FULL, SIX, PROMOTED, PROMOTED], 2), ['opening', 'opening', 'middlegame', 'middlegame', 'endgame', 'endgame']);
  assert.deepEqual(phasesOf([FULL, FULL], null), ['middlegame'], 'while the names have not arrived');
  assert.deepEqual(phasesOf([SIX, SIX], 1), ['endgame']);
});

test('accuracy by phase is the mean of the moves of a side that had a choice', () => {
  const points = [point(0, 100, 0), point(1, 50, 9), point(2, 80, 3), point(3, 10, 0, 'forced'), point(4, 60, 8), point(5, null, null)];
  const phases = phasesOf(Array.from({ length: 6 }, () => FULL), 2);
  assert.deepEqual(accuracyByPhase(points, phases, true), [
    { phase: 'opening', accuracy: { white: 100, black: 50 } },
    { phase: 'middlegame', accuracy: { white: 70, black: null } },
  ]);
  assert.deepEqual(accuracyByPhase(points.slice(0, 2), phases, false)[0]?.accuracy, { white: 50, black: 100 }, 'a game that begins with Black');
});

test('the moments are the three costliest moves, in the order of the game', () => {
  const points = [3, 20, 7, 31, null, 9].map((loss, ply) => point(ply, 50, loss));
  assert.deepEqual(momentsOf(points, 5), [1, 3, 5]);
  assert.deepEqual(momentsOf(points, 25), [3]);
  assert.deepEqual(momentsOf([], 5), []);
});
