import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnPawns, divergence, pawnsOf, percentOf, plural, rateText, shortCount, signedPawns, valueText, wholePercents } from '../../src/analyse/numbers.ts';
import { reasonOf, sentenceOf } from '../../src/analyse/reason.ts';
import { mainLine, makeMainLine, readPgn, writePgn } from '../../src/analyse/tree.ts';
import { pgnWithReview } from '../../src/analyse/with-review.ts';
import { spread } from '../../src/runs/line-ends.ts';
import { expectedScore, wilson } from '../../src/results/statistics.ts';
import type { ReviewPoint, ReviewView } from '../../src/server/types.ts';

test('pawns are the inverse of the curve of Lichess', () => {
  assert.ok(Math.abs(pawnsOf(50)) < 1e-9);
  // 100 centipawns are 59.1 % on that curve.
  assert.ok(Math.abs(pawnsOf(50 + 50 * (2 / (1 + Math.exp(-0.368208)) - 1)) - 1) < 1e-9);
  assert.equal(pawnsOf(100), 10);
  assert.equal(pawnsOf(0), -10);
  assert.deepEqual([59.1, 40.9, 50.01].map((percent) => signedPawns(percent, 1)), ['+1.0', '-1.0', '0.0']);
  assert.equal(valueText(null, 40.9, 'pawns'), '≈-1.00');
  assert.equal(valueText({ mate: 3 }, 99, 'pawns'), 'mate in 3');
  // The column of a table has room for five characters.
  assert.deepEqual([59.1, 50, 3, 100, 0].map(columnPawns), ['+1.00', '0.00', '-9.44', '+10', '-10']);
});

test('counts and speeds have at most five characters', () => {
  assert.deepEqual([0.4, 980, 999.6, 13_099, 99_949, 99_950, 140_400, 999_499, 999_500, 1_249_000, 123e6].map(rateText), ['0', '980', '1.0k', '13.1k', '99.9k', '100k', '140k', '999k', '1.0M', '1.2M', '123M']);
  assert.deepEqual([1, 9840, 9999, 10_000, 312_450, 20_000_000].map(shortCount), ['1', '9,840', '9,999', '10.0k', '312k', '20.0M']);
  for (let digits = 0; digits < 9; digits++) for (const count of [10 ** digits, 4.99 * 10 ** digits, 9.9949 * 10 ** digits, 9.9999 * 10 ** digits]) assert.ok(rateText(count).length <= 5 && shortCount(Math.floor(count)).length <= 5, String(count));
  assert.deepEqual([plural(0, 'node'), plural(1, 'node'), plural(12_840, 'node')], ['0 nodes', '1 node', '12,840 nodes']);
});

test('names at the ends of lines keep their order, do not touch and stay above the bottom', () => {
  assert.deepEqual(spread([10, 50], 13, 100), [10, 50]);
  assert.deepEqual(spread([52, 50, 20], 13, 100), [63, 50, 20]);
  assert.deepEqual(spread([99, 100, 98], 13, 100), [87, 100, 74]);
});

test('what is in square brackets survives, and a review is written in', () => {
  const [tree] = readPgn('1. e4 { good [%cal Gd2d4] [%clk 0:03:00] } e5 2. Qh5 *').games;
  assert.ok(tree);
  const [, first] = mainLine(tree.root);
  assert.deepEqual([first?.comments, first?.shapes.length, first?.remarks.clock], [['good'], 1, 180]);
  const written = writePgn(tree);
  for (const part of ['good', '[%cal Gd2d4]', '[%clk 0:03:00]']) assert.ok(written.includes(part), written);
  const point = (ply: number, judgement: ReviewPoint['judgement']): ReviewPoint => ({
    ply,
    white_wdl: [0.4, 0.2, 0.4],
    white_percent: 50,
    best: 'g1f3',
    line: ['Nf3', 'Nc6'],
    loss: 12,
    accuracy: 60,
    judgement,
    prior: null,
    best_prior: null,
    first: null,
    second_look: false,
  });
  const review = { engine: 'net', nodes: 100, points: [point(0, 'fine'), point(1, 'fine'), point(2, 'mistake'), point(3, null)] } as unknown as ReviewView;
  const pgn = pgnWithReview(tree, review, { evaluations: true, glyphs: true, lines: true });
  assert.match(pgn, /2\. Qh5 \$2/);
  assert.match(pgn, /\( 2\. Nf3 Nc6 \)/);
  assert.match(pgn, /\[%eval 0\.00\]/);
  assert.equal(mainLine(tree.root)[3]?.glyphs.length, 0, 'the game on the board stays as it was');
});

test('evaluations of unknown scale are written as they were read, and comments do not erase one another', () => {
  const [tree] = readPgn('1. e4 { [%eval 31,24] } e5 { [%eval 0.3,18] } { [%clk 0:01:00] } 2. Nf3 { [%eval 0] } *').games;
  assert.ok(tree);
  const [, first, second, third] = mainLine(tree.root);
  assert.deepEqual([first?.remarks.evaluation, third?.remarks.evaluation], [undefined, { pawns: 0, depth: undefined }]);
  assert.deepEqual([second?.remarks.evaluation, second?.remarks.clock], [{ pawns: 0.3, depth: 18 }, 60]);
  const written = writePgn(tree);
  for (const part of ['[%eval 31,24]', '[%eval 0.30,18]', '[%clk 0:01:00]']) assert.ok(written.includes(part), written);
});

test('a loss is told in points, not in percent', () => {
  const [tree] = readPgn('1. e4 e5 *').games;
  assert.ok(tree);
  const nodes = mainLine(tree.root);
  const sentence = (loss: number) => {
    const point = { ply: 0, best: 'd2d4', line: ['d4'], loss, judgement: 'fine' } as unknown as ReviewPoint;
    const reason = nodes[1] && reasonOf(nodes[1], nodes, [point]);
    return reason && sentenceOf(reason);
  };
  assert.equal(sentence(17.2), '1. e4 loses 17 points: best was d4');
  assert.equal(sentence(0.8), '1. e4 loses 1 point: best was d4');
  assert.equal(sentence(0.2), '1. e4 loses nothing: best was d4');
});

test('games of Chess960 say so when they are written, also where only their position does', () => {
  for (const [fen, expected] of [
    ['nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w FBfb - 0 1', true],
    ['nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w KQkq - 0 1', true],
    ['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1', true],
    ['4k3/8/8/8/8/8/8/4K1R1 w K - 0 1', true],
    ['r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1', false],
    ['nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w - - 0 1', false],
  ] as const) {
    for (const tag of ['', '[Variant "From Position"]\n']) {
      const [tree] = readPgn(`${tag}[SetUp "1"]\n[FEN "${fen}"]\n\n*`).games;
      assert.ok(tree);
      assert.equal(writePgn(tree).includes('[Variant "Chess960"]'), expected, fen + tag);
    }
  }
  const [tagged] = readPgn('[Variant "Fischerandom"]\n[SetUp "1"]\n[FEN "nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w KQkq - 0 1"]\n\n1. e3 *').games;
  assert.ok(tagged && writePgn(tagged).includes('[Variant "Fischerandom"]'));
});

test('a variation becomes the main line at every fork above it', () => {
  const [tree] = readPgn('1. e4 (1. d4 d5 (1... Nf6)) 1... e5 *').games;
  const inner = tree?.root.children[1]?.children[1];
  assert.ok(tree && inner);
  makeMainLine(inner);
  assert.deepEqual(
    mainLine(tree.root).map((node) => node.san),
    ['', 'd4', 'Nf6'],
  );
});

test('percentages add up to a hundred, and policies have a distance', () => {
  assert.deepEqual(wholePercents({ win: 1 / 3, draw: 1 / 3, loss: 1 / 3 }).reduce((sum, part) => sum + part), 100);
  assert.equal(percentOf({ win: 0.5, draw: 0.5, loss: 0 }), 75);
  assert.equal(valueText({ mate: -2 }, null), 'mated in 2');
  const even = new Map([['a', 0.5], ['b', 0.5]]);
  assert.equal(divergence(even, even), 0);
  assert.ok(Math.abs(divergence(new Map([['a', 1]]), even) - Math.LN2) < 1e-9);
});

test('expected scores follow the model, intervals hold at the ends', () => {
  assert.equal(expectedScore(0), 0.5);
  assert.ok(Math.abs(expectedScore(400) - 10 / 11) < 1e-12);
  const [low, high] = wilson(1, 20);
  assert.ok(low > 0.8 && low < 0.9 && high === 1);
});
