import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERYTHING, type Wanted, countsText, dayOf, levelsOf, openingText, openingsOfGames, outcomeOf, queryOf, ratingsOf, selected, wantedOf } from '../../src/games/game-list.ts';
import { opponentName } from '../../src/shell/game-texts.ts';
import type { GameSummary, Level } from '../../src/server/types.ts';

/** Noon of a day of November 2026, in the time zone of whoever runs the test. */
const day = (date: number) => new Date(2026, 10, date, 12).getTime() / 1000;

function game(id: string, changes: Partial<GameSummary>): GameSummary {
  return { id, started: day(1), person: 'white', opponent: 'default int8', level: null, pace: '400 nodes', first_moves: [], plies: 41, result: '1-0', end: 'Checkmate, White wins', help: false, ...changes };
}

const GAMES = [
  game('a', { started: day(3), level: 'Beginner 695', result: '1-0' }),
  game('b', { started: day(2), level: 'Beginner 1000', result: '1-0', person: 'black', plies: 80 }),
  game('c', { started: day(1), result: '1/2-1/2', end: 'Draw: threefold repetition', plies: 120 }),
  game('d', { started: day(4), level: 'Beginner 695', result: '*', end: null, plies: 3 }),
];

const ids = (changes: Partial<Wanted>) => selected(GAMES, { ...EVERYTHING, ...changes }).map(({ id }) => id).join('');

test('games are found by opponent, result, colour, level and day', () => {
  assert.equal(ids({}), 'dabc', 'the newest first');
  assert.equal(ids({ text: 'BEGINNER 695' }), 'da');
  assert.equal(ids({ text: 'threefold' }), 'c');
  assert.deepEqual(GAMES.map(outcomeOf), ['won', 'lost', 'drawn', 'unfinished']);
  assert.equal(ids({ outcome: 'lost' }), 'b');
  assert.equal(ids({ colour: 'black' }), 'b');
  assert.equal(ids({ level: 'Beginner 695', outcome: 'won' }), 'a');
  assert.equal(ids({ from: '2026-11-02', to: '2026-11-03' }), 'ab', 'both days are in it');
  assert.equal(dayOf(day(5)), '2026-11-05');
});

test('games are sorted by any column, the newest first where it is equal', () => {
  assert.equal(ids({ sort: 'moves', falling: true }), 'cbad');
  assert.equal(ids({ sort: 'outcome', falling: true }), 'acbd', 'won, drawn, lost, unfinished');
  assert.equal(ids({ sort: 'opponent', falling: false }), 'dabc', '695 before 1000');
  assert.equal(ids({ sort: 'started', falling: false }), 'cbad');
});

test('games are sorted by the rating of the opponent, those without one last', () => {
  const level = (name: string, elo: number | null): Level => ({ name, network: 'default', nodes: 1, temperature: 0, measurement: elo === null ? null : { setting: '', elo, low: elo - 50, high: elo + 50, games: 1, conditions: '' } });
  const ratings = ratingsOf([level('Beginner 695', 695), level('Beginner 1000', 1000.4), level('Full strength', null)]);
  assert.deepEqual([...ratings.keys()], ['Beginner 695', 'Beginner 1000']);
  const found = selected(GAMES, { ...EVERYTHING, sort: 'rating' }, new Map(), ratings);
  assert.equal(found.map(({ id }) => id).join(''), 'bdac');
});

test('games are found and sorted by their openings, whatever the order of the moves', () => {
  const names = new Map([
    ['rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w', { code: 'B20', name: 'Sicilian Defense' }],
    ['rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b', { code: 'A40', name: "Queen's Pawn Game" }],
  ]);
  const games = [
    game('s', { first_moves: ['e2e4', 'c7c5', 'a2a3'] }),
    game('q', { started: day(2), first_moves: ['d2d4'] }),
    game('n', { started: day(3), first_moves: ['h2h3'] }),
    game('f', { started: day(4), first_moves: [] }),
  ];
  const openings = openingsOfGames(games, names);
  assert.equal(openingText(openings.get('s')), 'B20 Sicilian Defense');
  assert.equal(openingText(openings.get('n')), '');
  const found = (changes: Partial<Wanted>) => selected(games, { ...EVERYTHING, ...changes }, openings).map(({ id }) => id).join('');
  assert.equal(found({ opening: 'sicil' }), 's');
  assert.equal(found({ opening: "a4 queen's" }), 'q');
  assert.equal(found({ opening: 'french' }), '');
  assert.equal(found({ sort: 'opening', falling: false }), 'fnqs', 'games without a name first');
});

test('the games found are counted, with the share of the points', () => {
  assert.equal(countsText(GAMES), '4 games: 1 won, 1 drawn, 1 lost, 1 unfinished, 50.0 % of the points');
  assert.equal(countsText(GAMES.slice(0, 1)), '1 game: 1 won, 0 drawn, 0 lost, 100.0 % of the points');
  assert.equal(countsText(GAMES.slice(3)), '1 game: 0 won, 0 drawn, 0 lost, 1 unfinished');
  assert.deepEqual(levelsOf(GAMES), ['Beginner 695', 'Beginner 1000']);
});

test('an address holds what is wanted, and nonsense in it is as usual', () => {
  const wanted: Wanted = { text: 'mini & co', outcome: 'drawn', colour: 'black', level: 'Beginner 695', opening: 'sicilian', position: '7k/8/8/8/8/8/8/K7 w - - 0 1', from: '2026-11-01', to: '2026-11-30', sort: 'moves', falling: false, page: 3 };
  assert.deepEqual(wantedOf(new URLSearchParams(queryOf(wanted))), wanted);
  assert.equal(queryOf(EVERYTHING), '');
  assert.deepEqual(wantedOf(new URLSearchParams('result=x&colour=green&from=soon&sort=-size&page=-4')), EVERYTHING);
});

test('ten thousand games are filtered and sorted', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => game(String(index), { started: index, level: `Level ${index % 30}`, plies: (index * 7919) % 200 }));
  const found = selected(many, { ...EVERYTHING, text: 'level nodes', sort: 'opponent', falling: false });
  assert.deepEqual([found.length, found[0]?.level, found.at(-1)?.level], [10_000, 'Level 0', 'Level 29']);
  assert.equal(selected(many, { ...EVERYTHING, level: 'Level 29' }).length, 333);
});

test('an opponent has the name of its level, else of its network', () => {
  const name = (opponent: string, level: string | null = null) => opponentName({ opponent, level });
  assert.equal(name('PUCT with toy 2x24 int8 on cpu (avx512)', 'Beginner 695'), 'Beginner 695');
  assert.equal(name('PUCT with toy 2x24 int8 on cpu (avx512)'), 'toy');
  assert.equal(name('principal variation search, or PUCT of fewer than 32768 nodes, with overnight sparse-threats-kings-512 int8 on cpu (avx512 vnni)'), 'overnight');
  assert.equal(name('material: equal priors, value from the piece count (1-3-3-5-9)'), 'material');
  assert.equal(name('Stockfish 15.1'), 'Stockfish 15.1');
});
