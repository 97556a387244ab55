import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distanceText, pieceCount, reasonText, verdictText } from '../../src/analyse/endgame-words.ts';
import type { EndgameMove } from '../../src/server/types.ts';

const judged = (changes: Partial<EndgameMove>): EndgameMove => ({ uci: 'a1a2', san: 'Ka2', outcome: 'win', distance: 7, rounded: false, reason: null, ...changes });

test('pieces are counted from the board of a FEN alone', () => {
  assert.equal(pieceCount('8/8/8/4k3/8/8/8/KBN5 w - - 60 90'), 4);
  assert.equal(pieceCount('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'), 32);
});

test('the result of a position in the tables is that of its best move, by colour', () => {
  assert.equal(verdictText(judged({}), true), 'White wins.');
  assert.equal(verdictText(judged({}), false), 'Black wins.');
  assert.equal(verdictText(judged({ outcome: 'loss' }), false), 'White wins.');
  assert.equal(verdictText(judged({ outcome: 'draw', distance: null }), true), 'A draw.');
  assert.equal(verdictText(judged({ outcome: 'cursed_win' }), false), 'A draw by the fifty-move rule, without which Black would win.');
  assert.equal(verdictText(judged({ outcome: 'blessed_loss' }), false), 'A draw by the fifty-move rule, without which White would win.');
  assert.equal(verdictText(undefined, true), 'The game is over.');
});

test('a distance in the tables is one number, two where they round, none in a draw', () => {
  assert.equal(distanceText(judged({})), '7');
  assert.equal(distanceText(judged({ rounded: true })), '7–8');
  assert.equal(distanceText(judged({ distance: null })), '');
});

test('the reason of a move in the tables names the capture, the pawn, or the two numbers of the fifty-move rule', () => {
  const at = { halfmoves: 60 };
  assert.equal(reasonText(judged({}), at), '');
  assert.equal(reasonText(judged({ reason: 'last_pawn', distance: 1 }), at), 'captures the last pawn');
  assert.equal(reasonText(judged({ reason: 'insufficient_material', outcome: 'draw', distance: null }), at), 'neither side can mate');
  const late = judged({ reason: 'fifty_moves', outcome: 'cursed_win', distance: 58 });
  assert.equal(reasonText(late, at), 'fifty-move rule: 58 half-moves needed, and the counter stands at 60 of 100');
  assert.match(reasonText({ ...late, distance: 1 }, at), /what follows takes more than 100 half-moves/);
  assert.match(reasonText({ ...late, distance: 1 }, { halfmoves: 100 }), /the counter stands at 100 of 100/);
  assert.match(reasonText(judged({ reason: 'rounding', distance: 40, rounded: true }), at), /one half-move more would be too long, with the counter at 60 of 100/);
});
