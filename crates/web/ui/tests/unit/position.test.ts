import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INITIAL_FEN, legalMoves, materialOf, positionOf, spoken, squaresOf, stationsOf, trusted, typedMoves } from '../../src/chess/position.ts';

test('castling is the king\'s two steps, whichever way it is written', () => {
  const fen = 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1';
  const castling = legalMoves(trusted(fen)).filter((move) => move.san.startsWith('O-O'));
  assert.deepEqual([...new Set(castling.map((move) => move.uci))].sort(), ['e1c1', 'e1g1']);
  assert.deepEqual(squaresOf('e1h1', fen), ['e1', 'g1']);
  assert.deepEqual(stationsOf(fen, ['e1g1', 'e8c8']).map((station) => station.san), [null, 'O-O', 'O-O-O']);
});

test('a line ends before its first illegal move', () => {
  assert.equal(stationsOf(INITIAL_FEN, ['e2e4', 'e2e4', 'e7e5']).length, 2);
});

test('typed moves: both notations, loose forms, and all candidates where case would decide', () => {
  const start = trusted(INITIAL_FEN);
  for (const text of ['Nf3', 'nf3', 'g1f3']) assert.deepEqual(typedMoves(start, text).map((move) => move.uci), ['g1f3'], text);
  assert.deepEqual(typedMoves(start, 'Nf6'), []);
  const bishopOrPawn = trusted('4k3/8/8/8/8/2p5/1P6/B3K3 w - - 0 1');
  assert.deepEqual(typedMoves(bishopOrPawn, 'bxc3').map((move) => move.san), ['bxc3']);
  const castling = trusted('4k3/8/8/8/8/8/8/4K2R w K - 0 1');
  assert.deepEqual(typedMoves(castling, '0-0').map((move) => move.uci), ['e1g1']);
  const promoting = trusted('8/P6k/8/8/8/8/8/K7 w - - 0 1');
  assert.deepEqual(typedMoves(promoting, 'a8n').map((move) => move.uci), ['a7a8n']);
});

test('what is wrong with a position is said', () => {
  for (const [fen, said] of [
    ['', 'cannot be read'],
    ['4k3/8/8/8/8/8/8/4K3', 'found 1 of its fields'],
    ['4k3/8/8/8/8/8/8/4K3 w', 'found 2 of its fields, expected four to six'],
    ['4k3/8/8/8/8/8/8/4K3 w - - 0 1 x', 'found 7 of its fields, expected four to six'],
    ['8/8/8/8/8/8/8/8 w - - 0 1', 'the board is empty'],
    ['4k3/8/8/8/8/8/8/8/4K3 w - - 0 1', 'the first field does not have eight ranks'],
    ['4k3/8/8/8/8/8/8/P3K3 w - - 0 1', 'a pawn is on the first or last rank'],
    ['4k3/8/8/8/8/8/8/8 w - - 0 1', 'exactly one king'],
  ] as const) {
    const found = positionOf(fen);
    assert.ok('problem' in found && found.problem.includes(said), fen);
  }
  for (const clocks of ['', ' 0', ' 0 1']) assert.ok('position' in positionOf(`4k3/8/8/8/8/8/8/4K3 w - -${clocks}`), clocks);
});

test('the difference of the pieces and the balance, also where a pawn became a queen', () => {
  const { white, black } = materialOf(trusted('rnb1kbnr/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNR w KQkq - 0 1'));
  assert.deepEqual(white, { surplus: ['queen'], ahead: 8 });
  assert.deepEqual(black, { surplus: ['pawn'], ahead: -8 });
  const promoted = materialOf(trusted('Q7/7k/8/8/8/8/7K/8 b - - 0 1'));
  assert.deepEqual(promoted, { white: { surplus: ['queen'], ahead: 9 }, black: { surplus: [], ahead: -9 } });
});

test('moves in words', () => {
  assert.equal(spoken('Nxf6+'), 'knight takes f6, check');
  assert.equal(spoken('e8=Q#'), 'pawn e8, promotes to queen, checkmate');
  assert.equal(spoken('O-O-O'), 'castles queenside');
});
