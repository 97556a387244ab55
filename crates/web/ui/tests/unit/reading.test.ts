import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXPECTED, faultText, openComment } from '../../src/analyse/pgn-faults.ts';
import { readAnything } from '../../src/analyse/read.ts';
import { mainLine, readPgn, writePgn } from '../../src/analyse/tree.ts';

const CHESS960 = '1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w GBgb - 0 1';

test('a comment without an end is said, with the place where it begins', () => {
  const { games, faults } = readAnything('1. e4 {good} e5 {a comment\n2. Nf3 Nc6 *');
  assert.deepEqual(faults, [{ game: 1, line: 1, column: 17, found: '{a comment\n2. Nf3 Nc6 *', expected: EXPECTED.end }]);
  assert.equal(games.length, 1, 'what stands before it can be loaded');
  assert.match(faultText({ game: 1, line: 1, column: 17, found: `{${'x'.repeat(80)}`, expected: EXPECTED.end }), /found "\{x{39}\.\.\.", expected a \}/);
  for (const text of ['1. e4 {a} e5 *', '1. e4 e5 ; a { in the rest of a line\n2. Nf3 *', '% a { for programs\n1. e4 *', '[Event "a { in a name"]\n\n1. e4 *']) {
    assert.equal(openComment(text), null, text);
    assert.deepEqual(readAnything(text).faults, [], text);
  }
});

test('Chess960 keeps its castling rights, in the tree and in what is written', () => {
  const pgn = `[Variant "Chess960"]\n[FEN "${CHESS960}"]\n\n1. O-O O-O-O *`;
  const { games, faults } = readAnything(pgn);
  assert.deepEqual(faults, []);
  const [game] = games;
  assert.ok(game);
  assert.equal(game.root.fen.split(' ')[2], 'KQkq');
  assert.deepEqual(mainLine(game.root).map(({ uci }) => uci), ['', 'd1g1', 'd8b8']);
  const [fen] = readAnything(CHESS960).games;
  assert.ok(fen);
  const written = writePgn(fen);
  assert.match(written, /\[Variant "Chess960"\]/, 'without a header that was read');
  assert.equal(readPgn(written).games[0]?.root.fen, fen.root.fen);
  const [orthodox] = readAnything('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1').games;
  assert.ok(orthodox && !writePgn(orthodox).includes('Variant'));
});

test('castling rights that a position cannot have are dropped with a word', () => {
  const fen = '4k3/8/8/8/8/8/8/4K2R w KQ - 0 1';
  const { games, problem } = readAnything(fen);
  assert.match(problem ?? '', /castling rights for which king and rook are there\. Of KQ, K was kept/);
  assert.equal(games[0]?.root.fen, '4k3/8/8/8/8/8/8/4K2R w K - 0 1');
  const { games: read, faults } = readAnything(`[FEN "${fen.replace('KQ', 'kq')}"]\n\n1. Rh2 *`);
  assert.deepEqual(faults.map(({ line, found }) => [line, found]), [[1, fen.replace('KQ', 'kq')]]);
  assert.match(faults[0]?.expected ?? '', /Of kq, none was kept/);
  assert.equal(read[0] && mainLine(read[0].root).length, 2);
});

test('a game of another kind of chess, or from an illegal position, is left out and said', () => {
  for (const [header, expected] of [
    ['[Variant "Atomic"]', EXPECTED.chess],
    ['[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]', EXPECTED.start],
  ] as const) {
    const alone = readAnything(`[Event "a"]\n${header}\n\n1. e4 *`);
    assert.deepEqual([alone.games.length, alone.problem, alone.faults.map((fault) => [fault.line, fault.expected])], [0, undefined, [[2, expected]]], header);
    const second = readAnything(`[Event "a"]\n${header}\n\n1. e4 *\n\n[Event "b"]\n\n1. d4 *`);
    assert.deepEqual([second.games.length, second.faults.length], [1, 1], header);
  }
});
