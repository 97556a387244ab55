import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stationsOf } from '../../src/chess/position.ts';
import { rightMoves, rightSquares } from '../../src/networks/right-moves.ts';
import { learnedSentence } from '../../src/runs/learned.ts';
import type { ProbeMoment } from '../../src/server/types.ts';

const MATE = '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1';
const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

function moments(name: string, fen: string, ...firsts: (string | null)[]): ProbeMoment[] {
  return firsts.map((uci, index) => ({ step: 1200 * index, positions: [{ name, fen, wdl: null, moves: uci ? [[uci, 0.5]] : [] }] }));
}

test('a sentence says since when the right move is the first one, from what was known by then', () => {
  const mate = moments('mate', MATE, 'd1d7', 'd1d8', 'd1e1', 'd1d8', 'd1d8', 'g1f1');
  const said = mate.map((_, index) => learnedSentence(mate, index, 'mate'));
  assert.deepEqual(said, [
    'plays Rd7, not yet the mate',
    'finds the mate since step 1,200',
    'plays Re1; found the mate until step 1,200',
    'finds the mate since step 3,600',
    'finds the mate since step 3,600',
    'plays Kf1; found the mate until step 4,800',
  ]);
});

test('where no move is the right one, the sentence names the move', () => {
  const first = moments('first', START, 'a2a4', 'e2e4', 'e2e4');
  assert.equal(learnedSentence(first, 2, 'first'), 'plays e4 since step 1,200');
  assert.equal(learnedSentence(first, 0, 'first'), 'plays a4 since step 0');
  assert.equal(learnedSentence(moments('first', START, null), 0, 'first'), '', 'a network without a policy');
  assert.equal(learnedSentence(first, 1, 'absent'), '');
});

/** The positions that have a right move, as `src/networks/probes.tsx` and the training have them. */
const KNOWN = [
  [MATE, 'the mate'],
  ['rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3', 'the queen'],
  ['r3k2r/ppp2ppp/8/3N4/8/8/PPP2PPP/R3K2R w KQkq - 0 1', 'the fork'],
  ['3q2k1/5ppp/8/8/8/P7/5PPP/3Q2K1 w - - 0 1', 'the mate'],
] as const;

test('the right moves are legal, and those called mates are mates', () => {
  for (const [fen, what] of KNOWN) {
    const known = rightMoves(fen);
    assert.equal(known?.what, what, fen);
    for (const uci of known.moves) {
      const after = stationsOf(fen, [uci])[1];
      assert.ok(after, `${uci} in ${fen}`);
      assert.equal(after.san?.endsWith('#'), what === 'the mate', after.san ?? '');
    }
  }
  assert.deepEqual(rightSquares(MATE), ['d8']);
  assert.deepEqual(rightSquares(START), []);
});
