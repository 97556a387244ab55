import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heatOf, worthHeat } from '../../src/analyse/heat.ts';
import { drawingOf, ROLES, rulesOf } from '../../src/board/piece-sets.ts';
import { arrowsOf } from '../../src/analyse/arrows.tsx';
import { runsOf, valuesOf } from '../../src/analyse/graph.tsx';
import { gameName, gameRow, rowText } from '../../src/analyse/game-row.ts';
import { numbered, shortText, told, toldText } from '../../src/analyse/numbers.ts';
import { readAnything } from '../../src/analyse/read.ts';
import { mainLine } from '../../src/analyse/tree.ts';
import { partOf, sharedMoves } from '../../src/analyse/use-review.ts';
import { openingEnd } from '../../src/chess/openings.ts';
import { rematch } from '../../src/play/game-end.tsx';
import type { GameView, ReviewPoint, ReviewView, TracedMove, Wdl } from '../../src/server/types.ts';

/** The value for the side to move: Black, in these tests. */
const WDL: Wdl = { win: 0.14, draw: 0.56, loss: 0.3 };

test('with Black to move headline, bar and arrow tell the same value of the same side', () => {
  const white = told(WDL, false, 'white');
  assert.deepEqual([white.side, Math.round(white.percent), white.wdl.win], ['white', 58, 0.3]);
  const mover = told(WDL, false, 'mover', { mate: 3 });
  assert.deepEqual([mover.side, Math.round(mover.percent), mover.wdl.win], ['black', 42, 0.14]);
  assert.equal(toldText(white, 'percent'), '58.0 %');
  assert.equal(toldText(mover, 'percent'), 'mate in 3');
  // Black mates, so White is mated.
  assert.equal(toldText(told(WDL, false, 'white', { mate: 3 }), 'percent'), 'mated in 3');
  const move = { uci: 'e7e5', visits: 9, prior: 0.5, wdl: WDL, score: null } as TracedMove;
  const label = (view: 'white' | 'mover', unit: 'percent' | 'pawns') => arrowsOf([move], 'net-a', { label: 'win', whiteToMove: false, view, unit }, null)[0]?.label;
  assert.deepEqual([label('white', 'percent'), label('mover', 'percent'), label('white', 'pawns'), label('mover', 'pawns')], ['58', '42', '+0.9', '-0.9']);
  assert.equal(shortText(told(WDL, false, 'white', { mate: 3 }), 'percent'), '-#3');
});

test('a value told twice is what it was, whoever is to move', () => {
  for (const whiteToMove of [true, false]) {
    for (const view of ['white', 'mover'] as const) {
      const once = told(WDL, whiteToMove, view);
      const turned = once.side === (whiteToMove ? 'white' : 'black');
      assert.equal(once.wdl.win, turned ? WDL.win : WDL.loss);
      assert.ok(Math.abs(once.percent - 100 * (once.wdl.win + once.wdl.draw / 2)) < 1e-9);
    }
  }
});

const point = (ply: number, judgement: ReviewPoint['judgement']): ReviewPoint =>
  ({ ply, white_wdl: [0.5, 0.2, 0.3], white_percent: 60, best: 'g1f3', line: ['Nf3'], loss: 1, accuracy: 90, judgement, prior: null }) as ReviewPoint;
const REVIEW = { fen: 'start', moves: ['e2e4', 'e7e5', 'g1f3'], points: [point(0, 'fine'), point(1, 'blunder'), point(2, 'fine'), point(3, null)], white: { accuracy: 1 }, black: {} } as unknown as ReviewView;

test('a review holds as far as a game is the reviewed one', () => {
  const shared = (...moves: string[]) => sharedMoves(REVIEW, 'start', moves);
  assert.deepEqual([shared('e2e4', 'e7e5', 'g1f3'), shared('e2e4', 'e7e5', 'g1f3', 'b8c6'), shared('e2e4', 'e7e5'), shared('e2e4', 'c7c5'), shared('d2d4')], [3, 3, 2, 1, 0]);
  assert.equal(sharedMoves(REVIEW, 'elsewhere', REVIEW.moves), 0);
  assert.equal(partOf(REVIEW, 'start', [...REVIEW.moves, 'b8c6']), REVIEW, 'one more move loses nothing');
  const left = partOf(REVIEW, 'start', ['e2e4', 'c7c5']);
  assert.deepEqual([left?.points.length, left?.points[1]?.judgement, left?.white], [2, null, null], 'the move that was not played is not judged');
  assert.equal(partOf(REVIEW, 'start', ['d2d4']), null);
});

test('the curve has gaps where nothing is known', () => {
  const values = valuesOf(REVIEW.points, 6);
  assert.equal(values.length, 6);
  assert.deepEqual(values.map((value) => value?.judgement ?? null), [null, 'fine', 'blunder', 'fine', null, null]);
  const runs = runsOf([null, ...values.slice(1, 3), null, null, values[3] ?? null]);
  assert.deepEqual(runs.map((run) => run.length), [2, 1]);
});

test('the heat of worths tells pieces of one position apart', () => {
  const classes = (worth: [string, number][]) => [...worthHeat(new Map(worth)).classes.values()];
  assert.deepEqual(classes([['a1', 17], ['b1', 30], ['c1', 43], ['d1', 56], ['e1', 69]]), ['heat heat-1', 'heat heat-2', 'heat heat-3', 'heat heat-4', 'heat heat-5']);
  assert.deepEqual(classes([['a1', -8], ['b1', 5]]), ['heat burden', 'heat heat-5']);
  assert.deepEqual([...worthHeat(new Map([['a1', -0.04], ['b1', 3.14], ['c1', 12.4], ['d1', -1]])).figures.values()], ['0.0', '+3.1', '+12', '-1.0']);
});

test('positions in EPD are read, one a line, with what is asked of them', () => {
  const one = readAnything('2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";');
  assert.equal(one.problem, undefined);
  assert.match(one.games[0]?.root.fen ?? '', /^2rr3k\/.* w - - 0 1$/);
  assert.deepEqual(one.games[0]?.root.comments, ['bm Qg6; id "WAC.001";']);
  const two = readAnything('8/8/4k3/8/4K3/4P3/8/8 w - - bm Kd4;\n8/8/4k3/8/4K3/4P3/8/8 b - - bm Kd6; id "b";\n');
  assert.deepEqual(two.games.map(({ headers }) => headers.get('Event')), ['bm Kd4;', 'b']);
  assert.match(readAnything('8/8/8/8/8/8/8 w - - bm Kd4;').problem ?? '', /FEN|legal/);
});

test('a game without names is named by its moves', () => {
  const named = (pgn: string) => readAnything(pgn).games.map(gameName);
  assert.deepEqual(named('1. e4 e5 2. Nf3 *'), ['1. e4 e5 2. Nf3, 2 moves']);
  assert.deepEqual(named('[White "Anna"]\n[Black "Bert"]\n[Result "1-0"]\n\n1. e4 1-0'), ['Anna - Bert, 1-0, 1 move']);
});

test('a row of a match has its round, colours, result, length and opening', () => {
  const pgn = '[Event "default,nodes=100 against net=runs/toy/network.tabiya,nodes=50"]\n[Round "3.2"]\n[White "net=runs/toy/network.tabiya,nodes=50"]\n[Black "default,nodes=100"]\n[Result "0-1"]\n[Opening "rnbqkbnr/8 w"]\n\n1. e4 c5 2. Nf3 0-1';
  const [game] = readAnything(pgn).games;
  assert.ok(game);
  const afterSecond = mainLine(game.root)[2]?.fen.split(' ', 2).join(' ') ?? '';
  const row = gameRow(game, 4, new Map([[afterSecond, { code: 'B20', name: 'Sicilian Defense' }]]));
  assert.deepEqual({ ...row, occasion: '' }, { round: '3.2', players: 'toy · 50 nodes - default · 100 nodes', result: '0-1', length: '2 moves', opening: 'Sicilian Defense', occasion: '' });
  assert.equal(gameRow(game, 4, null).opening, '', 'a position is not a name');
  assert.ok(rowText(row).includes('sicilian'));
  const [plain] = readAnything('[White "Anna"]\n[Round "?"]\n[Opening "Reti"]\n\n1. Nf3 *').games;
  assert.ok(plain);
  assert.deepEqual([gameRow(plain, 4, null).round, gameRow(plain, 4, null).opening], ['5', 'Reti']);
});

test('numbers of a line may stand close to its moves', () => {
  const fen = 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1';
  assert.deepEqual(numbered(['e5', 'Nf3', 'Nc6'], fen, ''), ['1...e5', '2.Nf3', 'Nc6']);
});

test('the opening ends where no position has a name any more', () => {
  const table = new Map([['x w', { code: 'A', name: 'a' }], ['y b', { code: 'B', name: 'b' }]]);
  assert.equal(openingEnd(table, ['x w - -', 'z b - -', 'y b - -', 'z w - -']), 2);
  assert.equal(openingEnd(table, ['z w - -', 'z b - -']), null);
});

test('a rematch keeps everything but the colour', () => {
  const opponent = { network: 'human-800', name: 'n', pace: 'p', level: 'L', nodes: 1, move_time_ms: null, temperature: 1.5, human_time: true };
  const fen = '8/8/4k3/8/4K3/4P3/8/8 w - - 0 1';
  const view = { opponent, start_fen: fen, draws_by_claim: true, clock: { initial_ms: 180_000, increment_ms: 2000 } } as unknown as GameView;
  assert.deepEqual(rematch(view, 'black'), {
    color: 'black',
    network: 'human-800',
    temperature: 1.5,
    nodes: 1,
    level: 'L',
    clock: { initial_ms: 180_000, increment_ms: 2000 },
    human_time: true,
    draws_by_claim: true,
    fen,
  });
});

test('every piece set draws twelve pieces that differ', () => {
  for (const set of ['solid', 'ivory', 'discs', 'letters', 'signs'] as const) {
    const drawn = ROLES.flatMap((role) => (['white', 'black'] as const).map((colour) => drawingOf(set, role, colour)));
    assert.equal(new Set(drawn).size, 12, set);
    assert.ok(drawn.every((one) => one.startsWith('<svg ') && one.endsWith('</svg>')), set);
    assert.equal(rulesOf(set).split('\n').length, 12, set);
  }
});

test('the heat is scaled to the position: its most is the darkest, whatever it amounts to', () => {
  const move = (uci: string, prior: number) => ({ uci, prior }) as TracedMove;
  const { classes, figures } = heatOf([move('e2e4', 0.2), move('d2d4', 0.1), move('g1f3', 0.03), move('a2a3', 0.01)], 'to');
  assert.deepEqual([...classes], [['e4', 'heat heat-5'], ['d4', 'heat heat-3'], ['f3', 'heat heat-1']]);
  assert.deepEqual([...figures], [['e4', '20'], ['d4', '10']]);
});
