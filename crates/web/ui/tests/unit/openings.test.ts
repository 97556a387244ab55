import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openingsTable } from '../../openings-table.ts';
import { playersText } from '../../src/analyse/games-behind.tsx';
import { listedAddress } from '../../src/analyse/place.ts';
import { NO_FILTER, boundOf, filterQuery, filters } from '../../src/analyse/played-filter.tsx';
import { totalOf } from '../../src/analyse/played-moves.tsx';
import { nextRequest } from '../../src/analyse/use-tables.ts';
import { openingOf, readOpenings } from '../../src/chess/openings.ts';
import { INITIAL_FEN, positionOf, stationsOf } from '../../src/chess/position.ts';
import type { OpeningTable } from '../../src/server/types.ts';

const played = (uci: string, [white, draws, black, unknown]: [number, number, number, number], years: [number, number] | null) => ({ uci, san: uci, white, draws, black, unknown, rating: null, years });

test('all games of a position are the sum over its moves', () => {
  const moves = [played('e2e4', [3, 2, 1, 0], [1972, 1990]), played('d2d4', [1, 0, 0, 4], null), played('c2c4', [0, 0, 2, 0], [1960, 1960])];
  assert.deepEqual(totalOf(moves), { white: 4, draws: 2, black: 3, unknown: 4, years: [1960, 1990] });
  assert.equal(totalOf(moves.slice(0, 1)), null, 'one row says all');
  assert.equal(totalOf(moves.slice(1, 2).concat(moves.slice(1, 2)))?.years, null);
});

const UNREAD: OpeningTable = {
  id: 'club.pgn',
  name: 'club.pgn',
  ready: false,
  share: null,
  games: 0,
  games_per_second: null,
  broken: 0,
  positions: 0,
  plies: 40,
  weights: false,
  stale: false,
  listed: false,
  older: false,
  problem: null,
};

test('tables are requested again only while one is read or missing', () => {
  const wait = (...tables: OpeningTable[]) => nextRequest({ view: { tables, sources: [], folder: 'data' }, problem: null, current: true });
  const [ready, reading, failed] = [{ ...UNREAD, ready: true }, { ...UNREAD, share: 0.5 }, { ...UNREAD, problem: 'lorem ipsum' }];
  assert.equal(wait(ready, failed), null, 'nothing is awaited');
  assert.ok((wait(ready, reading) ?? Infinity) < (wait(failed) ?? 0), 'a table that is read is looked at more often than a missing one');
  assert.equal(wait(), wait(failed));
  const view = { tables: [ready], sources: [], folder: 'data' };
  assert.equal(nextRequest({ view, problem: null, current: false }), 0, 'what may be out of date is requested at once');
  assert.equal(nextRequest({ view, problem: 'no server', current: true }), wait());
});

test('a filter is the ends of its ranges, and an end that is not a year or a rating is none', () => {
  assert.deepEqual(['2400', '1999.6', '0', '', 'x', '10000'].map(boundOf), ['2400', '2000', '', '', '', '']);
  const filter = { ...NO_FILTER, rating_from: '2400', year_to: '1999' };
  assert.equal(filterQuery('8/8 w', filter), 'fen=8%2F8+w&rating_from=2400&year_to=1999');
  assert.deepEqual([filters(filter), filters(NO_FILTER)], [true, false]);
});

test('a game behind a count has an address with its moves, at the position, with the choices of the present one', () => {
  const game = { white: 'Anna', black: null, white_rating: 2000, black_rating: null, result: '1-0', year: 2014, fen: null, moves: ['e2e4', 'e7e5', 'g1f3'], ply: 1, san: 'e5' };
  assert.equal(playersText(game), 'Anna 2000 – ?');
  Object.defineProperty(globalThis, 'location', { value: new URL('http://127.0.0.1/analyse?tab=openings&moves=d2d4&black=Bert'), configurable: true });
  assert.equal(listedAddress(game), '/analyse?tab=openings&moves=e2e4,e7e5,g1f3&ply=1&white=Anna&whiteelo=2000&score=1-0');
  const long = { ...game, fen: INITIAL_FEN, moves: Array.from({ length: 600 }, () => 'e2e4') };
  const query = new URLSearchParams(listedAddress(long).split('?')[1]);
  assert.deepEqual([query.get('fen'), query.get('moves')?.split(',').length], [INITIAL_FEN, 300]);
  const late = new URLSearchParams(listedAddress({ ...long, ply: 500 }).split('?')[1]);
  assert.equal(late.get('moves')?.split(',').length, 500, 'the position is in it');
});

const OPENINGS = readOpenings(openingsTable());

function named(line: string): string | undefined {
  const opening = openingOf(OPENINGS, stationsOf(INITIAL_FEN, line.split(' ')).map((station) => station.fen));
  return opening ? `${opening.code} ${opening.name}` : undefined;
}

test('openings are known by their positions, whatever the order of the moves', () => {
  assert.equal(named('e2e4 e7e5 g1f3 b8c6 f1c4'), 'C50 Italian Game');
  assert.equal(named('e2e4 e7e5 f1c4 b8c6 g1f3'), 'C50 Italian Game');
  assert.equal(named('d2d4 g8f6 c2c4 e7e6 b1c3 f8b4'), 'E20 Nimzo-Indian Defense');
  assert.equal(named('e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1e3'), 'B90 Sicilian Defense: Najdorf Variation, English Attack');
});

test('the last name stays, and a position without a name has none', () => {
  assert.equal(named('e2e4 e7e5 g1f3 b8c6 f1c4 a7a6 a2a3 a6a5'), named('e2e4 e7e5 g1f3 b8c6 f1c4 a7a6'));
  assert.equal(openingOf(OPENINGS, ['8/8/4k3/8/4K3/8/8/8 w - - 0 1']), null);
  assert.equal(openingOf(OPENINGS, [INITIAL_FEN]), null);
});

test('each entry is a legal position with a code and a name', () => {
  assert.ok(OPENINGS.size > 3000, String(OPENINGS.size));
  for (const [position, { code, name }] of OPENINGS) {
    assert.match(code, /^[A-E]\d\d$/, name);
    assert.ok('position' in positionOf(`${position} - - 0 1`), `${name}: ${position}`);
  }
});

test('a table with a cell too few is refused', () => {
  assert.throws(() => readOpenings(openingsTable().replace('\nItalian Game\n', '\n')), /The columns of the table of openings differ in length/);
  assert.throws(() => readOpenings('C50\n\nItalian Game'), /differ in length/);
});
