import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished, practicalOf, recent, repliesOf } from '../../src/analyse/against.ts';
import { solvedText } from '../../src/analyse/engine-bar.tsx';
import { trapsOf } from '../../src/analyse/human-table.tsx';
import { percentOf } from '../../src/analyse/numbers.ts';
import { validationOf } from '../../src/networks/validation.tsx';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

test('a move is worth the mean over what people reply, and the least of all replies to the strongest', () => {
  const reply = (uci: string, share: number, win: number) => ({ uci, san: uci, share, wdl: { win, draw: 0, loss: 1 - win } });
  // A trap: nine of ten fall into it, the tenth refutes it.
  const trap = practicalOf({ uci: 'd1h5', san: 'Qh5' }, [reply('a7a6', 0.45, 1), reply('b8c6', 0.05, 0.2)]);
  assert.ok(Math.abs(percentOf(trap.people) - 92) < 1e-9, 'shares are weights, whatever they add up to');
  assert.equal(Math.round(percentOf(trap.best)), 20);
  assert.deepEqual([trap.likeliest, trap.strongest], [{ san: 'a7a6', share: 0.45 }, 'b8c6']);
  // A reply that nobody plays counts only for the strongest reply.
  const unseen = practicalOf({ uci: 'a2a3', san: 'a3' }, [reply('a7a6', 0.5, 0.6), reply('b8c6', 0, 0.1)]);
  assert.equal(Math.round(percentOf(unseen.people)), 60);
  assert.equal(unseen.strongest, 'b8c6');
});

test('the trap meter has the shares of moves that lose little, more and much, of those that were searched', () => {
  const move = (uci: string, prior: number) => ({ uci, san: uci, prior });
  const sight = { wdl: null, moves: [move('e2e4', 0.25), move('d2d4', 0.25), move('g2g4', 0.125), move('f2f3', 0.125), move('a2a3', 0.25)] };
  const losses = new Map([['e2e4', 0], ['d2d4', 4.9], ['g2g4', 5], ['f2f3', 30]]);
  assert.deepEqual(trapsOf({ name: '1400', rating: 1400, sight }, losses), [0.5, 0.125, 0.125]);
});

test('replies are those that people play and those that the network likes best', () => {
  const sight = (moves: [string, number][]) => ({ wdl: null, moves: moves.map(([uci, prior]) => ({ uci, san: uci, prior })) });
  const people = sight([['a', 0.6], ['b', 0.38], ['c', 0.01], ['d', 0.01]]);
  const network = sight([['c', 0.9], ['a', 0.05], ['d', 0.04], ['b', 0.01]]);
  assert.deepEqual(repliesOf(people, network).map(({ uci, share }) => [uci, share]), [['a', 0.6], ['b', 0.38], ['c', 0.01], ['d', 0.01]]);
});

test('networks are told no more of a long game than they look back at', () => {
  const moves = Array.from({ length: 40 }, (_, index) => ['g1f3', 'g8f6', 'f3g1', 'f6g8'][index % 4] as string);
  const place = recent(START, moves);
  assert.equal(place.moves.length, 8);
  assert.match(place.fen, / w KQkq - 32 17$/);
  assert.deepEqual(recent(START, ['e2e4']), { fen: START, moves: ['e2e4'] });
});

test('a finished game is worth its result to the side that moved last', () => {
  assert.equal(finished({ fen: START, moves: ['e2e4'] }), null);
  assert.deepEqual(finished({ fen: START, moves: ['f2f3', 'e7e5', 'g2g4', 'd8h4'] }), { win: 1, draw: 0, loss: 0 });
  assert.deepEqual(finished({ fen: '7k/8/6Q1/8/8/8/8/K7 w - - 0 1', moves: ['a1a2'] }), { win: 0, draw: 1, loss: 0 });
});

test('what is solved says who wins, whoever is to move', () => {
  const solved = (turn: 'w' | 'b', win: number, draw: number, loss: number) => solvedText({ fen: `4k3/8/8/8/8/8/8/4K2R ${turn} - - 0 1`, wdl: { win, draw, loss } });
  assert.deepEqual([solved('w', 1, 0, 0), solved('b', 1, 0, 0), solved('b', 0, 0, 1), solved('w', 0, 1, 0)], ['solved: White wins', 'solved: Black wins', 'solved: White wins', 'solved: a draw']);
  assert.equal(solved('w', 0.6, 0.4, 0), 'solved');
});

test('the figures of a validation that people compare stand beside a guess, the rest is folded', () => {
  const { rows, rest } = validationOf([
    ['policy_loss', 1.9028],
    ['policy_loss_uniform', 3.2072],
    ['top1', 0.4128],
    ['unseen_top1', 0.4124],
    ['evaluated_top1', 0.4128],
  ]);
  assert.deepEqual(rows, [
    { name: 'Policy loss, nats', all: '1.903', unseen: '', guess: '3.207 (any legal move)' },
    { name: 'Policy top-1', all: '41.3 %', unseen: '41.2 %', guess: '' },
  ]);
  assert.deepEqual(rest.map(([name]) => name), ['evaluated_top1']);
});
