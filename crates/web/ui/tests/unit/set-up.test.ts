import assert from 'node:assert/strict';
import { test } from 'node:test';
import { START, fenOf, passantSquares, ruleBroken, setUpOf, withRight } from '../../src/analyse/set-up.ts';
import { INITIAL_FEN } from '../../src/chess/position.ts';

test('a position that is set up keeps its counters, its rights and a capture in passing', () => {
  const fen = 'rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3';
  assert.equal(fenOf(setUpOf(fen)), fen);
  assert.equal(fenOf(START), INITIAL_FEN);
  assert.deepEqual(setUpOf('4k3/8/8/8/8/8/8/4K3 b'), { board: '4k3/8/8/8/8/8/8/4K3', turn: 'b', castling: '-', passant: '-', quiet: 0, move: 1 });
  assert.deepEqual([setUpOf('8/8/8/8/8/8/8/8 w - - x 0').quiet, setUpOf('8/8/8/8/8/8/8/8 w - - x 0').move], [0, 1]);
});

test('only squares on which a capture in passing is legal are offered', () => {
  const both = setUpOf('rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3');
  assert.deepEqual(passantSquares(both), ['d6', 'f6']);
  assert.deepEqual(passantSquares({ ...both, turn: 'b' }), []);
  // The capture would open the fifth rank to the king.
  assert.deepEqual(passantSquares(setUpOf('4k3/8/8/K2pP2r/8/8/8/8 w - - 0 1')), []);
});

test('castling rights are switched one at a time, and one without its rook is the rule that a position breaks', () => {
  assert.equal(withRight('KQkq', 'Q'), 'Kkq');
  assert.equal(withRight('Kkq', 'Q'), 'KQkq');
  assert.equal(withRight('q', 'q'), '-');
  assert.equal(withRight('-', 'k'), 'k');
  assert.equal(withRight('Ekq', 'K'), 'EKkq', 'rights of Chess960 stay');
  assert.equal(ruleBroken('4k3/8/8/8/8/8/8/4K2R w K - 0 1'), null);
  assert.match(ruleBroken('4k3/8/8/8/8/8/8/4K3 w K - 0 1') ?? '', /not legal: expected castling rights/);
  assert.match(ruleBroken('8/8/8/8/8/8/8/8 w - - 0 1') ?? '', /the board is empty/);
});
