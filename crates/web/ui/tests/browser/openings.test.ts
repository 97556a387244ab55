/** Opening tables from games that the reader has. */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { becomes, matches, picture, run, settled, stage, until } from './harness.ts';

const { open, program } = stage(['--net', 'material']);

const GAMES = [
  '[Date "1972.07.11"]\n[WhiteElo "2660"]\n[BlackElo "2785"]\n\n1. e4 e5 2. Nf3 Nc6 1-0',
  '[Date "2014.02.01"]\n[WhiteElo "2000"]\n[BlackElo "2100"]\n\n1. e4 c5 2. Nf3 d6 0-1',
  '1. Nf3 e5 2. e4 Nc6 1/2-1/2',
  '1. e4 e5 2. Ke3 1-0',
].join('\n\n');

before(() => {
  mkdirSync(join(program.folder, 'data'));
  writeFileSync(join(program.folder, 'data/club.pgn'), `${GAMES}\n`);
});

test('a file becomes a table once, is found again, and its moves are played by a click', async () => {
  const page = await open('/analyse?tab=openings');
  await page.getByText('club.pgn').waitFor();
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  const rows = page.locator('.openings-table tbody tr');
  await until('the moves are there', async () => (await rows.count()) >= 2);
  const first = rows.first();
  await matches('the first move has its figures', () => first.textContent(), /e4.*2.*67 %.*2330.*1972–2014/);
  await becomes('the bar has the results', () => first.getByRole('img').getAttribute('aria-label'), 'White won 50 %, drawn 0 %, Black won 50 %');
  await matches('all games have a row', () => page.locator('.openings-table tfoot').textContent(), /^all3.*1972–2014$/);
  await page.getByText('3 games here, of 3 games; the first 40 half-moves of each.').waitFor();
  const widths = await settled(page, 'the table', () => page.getByRole('region', { name: 'What was played' }).evaluate((table) => [table.scrollWidth, table.clientWidth]));
  assert.equal(widths[0], widths[1], 'no column is cut');
  await picture(page, 'openings');
  await first.getByRole('button', { name: 'e4' }).click();
  await page.locator('.openings-table').getByRole('button', { name: 'c5' }).waitFor();
  // Two orders of moves, one position; the counts come from both.
  await page.goto(`${program.address}/analyse?tab=openings&moves=g1f3,e7e5,e2e4`);
  await page.getByText('2 games here, of 3 games').waitFor();
  await matches('the counts come from both', () => rows.first().textContent(), /Nc6.*2.*100 %/);
  await page.getByRole('button', { name: 'Tables ...' }).click();
  await page.getByText('3 games · 8 positions · 1 broken left out').waitFor();
  // The move that the network would play is beside it, even if nobody played it.
  await page.goto(`${program.address}/analyse?tab=openings&moves=e2e4,a7a6`);
  await page.getByText('This position is not in the table.').waitFor();
});

test('a file is sent, a broken one says why and can be forgotten', async () => {
  const page = await open('/analyse?tab=openings');
  await page.getByRole('button', { name: 'Tables ...' }).click();
  const field = page.locator('.opening-tables input[type=file]');
  await field.setInputFiles({ name: 'sent.pgn', mimeType: 'application/x-chess-pgn', buffer: Buffer.from('1. d4 d5 1/2-1/2\n') });
  await page.getByLabel('Table', { exact: true }).getByText('sent.pgn').waitFor({ state: 'attached' });
  await becomes('the table of the file is shown', () => page.getByLabel('Table', { exact: true }).evaluate((list) => (list as HTMLSelectElement).selectedOptions[0]?.textContent), 'sent.pgn');
  await page.locator('.openings-table').getByRole('button', { name: 'd4' }).waitFor();
  await field.setInputFiles({ name: 'notes.pgn', mimeType: 'text/plain', buffer: Buffer.from('lorem ipsum') });
  await page.locator('.opening-tables .problem', { hasText: 'lorem ipsum' }).waitFor();
  await page.getByRole('button', { name: 'Forget' }).click();
  await until('the failure is gone', async () => (await page.locator('.opening-tables .problem').count()) === 0);
  const line = page.locator('.opening-tables li', { hasText: 'sent.pgn' });
  await line.getByRole('button', { name: 'Delete' }).click();
  await until('the table is gone', async () => (await line.count()) === 0);
});

const NAMED = [
  '[White "Fischer"]\n[Black "Spassky"]\n[Date "1972.07.11"]\n[WhiteElo "2785"]\n[BlackElo "2660"]\n\n1. e4 e5 2. Nf3 Nc6 1-0',
  '[White "Anna"]\n[Black "Bert"]\n[Date "2014.02.01"]\n[WhiteElo "2000"]\n[BlackElo "2100"]\n\n1. Nf3 e5 2. e4 d6 0-1',
].join('\n\n');

test('the games behind a count are listed and filtered, and one opens at the position', async () => {
  const page = await open('/analyse?tab=openings&moves=e2e4,e7e5,g1f3');
  await page.getByRole('button', { name: 'Tables ...' }).click();
  await page.locator('.opening-tables input[type=file]').setInputFiles({ name: 'named.pgn', mimeType: 'application/x-chess-pgn', buffer: Buffer.from(`${NAMED}\n`) });
  await page.getByText('2 games here, of 2 games').waitFor();
  await page.getByRole('button', { name: 'Tables ...' }).click();
  await page.getByRole('button', { name: 'Which games' }).click();
  const list = page.getByRole('region', { name: 'Which games' });
  await until('both games are listed', async () => (await list.getByRole('link').count()) === 2);
  const ends = () => list.evaluate((one) => [one.getBoundingClientRect().bottom, one.closest('.scrolls')?.getBoundingClientRect().bottom ?? 0]);
  await until('the list is in sight', async () => ((await ends())[0] ?? Infinity) <= ((await ends())[1] ?? 0) + 1);
  await matches('the stronger players come first', () => list.getByRole('link').first().textContent(), /Fischer 2785 – Spassky 2660.*Nc6.*1-0.*1972/);
  await picture(page, 'openings-games');
  await page.locator('.openings-table tbody tr', { hasText: 'd6' }).getByTitle('Which games').click();
  await list.getByText('1 game with d6').waitFor();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('First year').fill('2000');
  await page.getByLabel('First year').press('Enter');
  await page.getByText('1 game here, of 2 games').waitFor();
  await list.getByRole('link', { name: 'Anna' }).click();
  await until('the game is on the board, at the position', async () => /moves=g1f3,e7e5,e2e4,d7d6&ply=3&white=Anna/.test(page.url()));
  await page.getByText('Anna').first().waitFor();
});

/** Makes the table of a file as a version did that knew no lists of games: it did not mention them. */
function makeOlder(name: string): void {
  const file = join(program.folder, `openings/${name}.openings`);
  mkdirSync(join(program.folder, 'openings'), { recursive: true });
  run(program.folder, 'explore', `data/${name}`, '--counts-only', '--table', file);
  const bytes = readFileSync(file);
  const start = bytes.length - 8 - Number(bytes.readBigUInt64LE(bytes.length - 8));
  const about = Buffer.from(bytes.subarray(start, -8).toString().replace(',"game_list":"left_out"', ''));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(about.length));
  writeFileSync(file, Buffer.concat([bytes.subarray(0, start), about, length]));
}

test('a table of an older version says that it has no games, and its file is read again', async () => {
  writeFileSync(join(program.folder, 'data/old.pgn'), '1. e4 e5 1-0\n');
  makeOlder('old.pgn');
  const page = await open('/analyse?tab=openings');
  const table = page.getByLabel('Table', { exact: true });
  await table.selectOption('old.pgn');
  await page.getByText('An older version kept no games.').waitFor();
  await page.getByRole('button', { name: 'Read the file again' }).click();
  // While it is read, another table is shown.
  const games = page.getByRole('button', { name: 'Which games' });
  await until('its games can be listed', async () => (await table.inputValue()) === 'old.pgn' && (await games.count()) === 1);
});

test('tables are requested again only while one is awaited and the page is in sight', async () => {
  const page = await open('/analyse?tab=openings', { viewport: { width: 1920, height: 1080 } });
  await page.clock.install();
  let requests = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/v1/openings') requests += 1;
  });
  await page.reload();
  await page.locator('.openings-table').waitFor();
  await page.clock.runFor(60_000);
  assert.equal(requests, 1, 'every table is there');
  const hide = async (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  const { tables } = (await (await page.request.get('/api/v1/openings')).json()) as { tables: { id: string }[] };
  for (const { id } of tables) await page.request.post(`/api/v1/openings/${id}/delete`, { headers: { 'content-type': 'application/json' }, data: {} });
  await hide(true);
  await page.clock.runFor(1000);
  await hide(false);
  await page.getByText('Read a file once; its table is kept.').waitFor();
  const before = requests;
  await page.clock.runFor(20_000);
  await until('a file is awaited', async () => requests > before);
  await hide(true);
  await page.clock.runFor(1000);
  const last = requests;
  await page.clock.runFor(60_000);
  assert.equal(requests, last, 'nobody looks');
});
