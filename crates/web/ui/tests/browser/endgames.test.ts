/** The moves of a position in real endgame tables. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { becomes, matches, picture, settled, stage } from './harness.ts';

/** The folder of real tables; the test that starts this file says that it is needed. */
const TABLES = join(process.env['TABIYA_DATA'] ?? '', 'syzygy');

const { open } = stage(['--net', 'material', '--option', `SyzygyPath=${TABLES}`]);

const explorer = (fen: string) => `/analyse?tab=openings&nodes=100&fen=${encodeURIComponent(fen)}`;

test('every move of an endgame has its result, its distance and the reason, and a click plays it', async () => {
  const page = await open(explorer('8/8/8/8/4k3/8/4pK2/8 w - - 0 1'));
  const rows = page.locator('.endgame-table tbody tr');
  await becomes('every move has a row', () => rows.count(), 5);
  await matches('the best move', () => rows.first().textContent(), /^Kxe2draw.*neither side can mate$/);
  await matches('the longest loss', () => rows.nth(1).textContent(), /^Ke1loss6–7$/);
  await becomes('the result', () => page.locator('.endgame-verdict').textContent(), 'A draw.');
  const widths = await settled(page, 'the table', () => page.getByRole('region', { name: 'Moves in the endgame tables' }).evaluate((table) => [table.scrollWidth, table.clientWidth]));
  assert.equal(widths[0], widths[1], 'no column is cut');
  await picture(page, 'endgames');
  await rows.nth(1).getByRole('button', { name: 'Ke1' }).click();
  await becomes('Black is to move', () => page.locator('.endgame-verdict').textContent(), 'Black wins.');
  await matches('a stalemate is named', () => rows.filter({ hasText: 'Ke3' }).textContent(), /^Ke3draw.*stalemate$/);
});

test('a win that comes too late names both numbers of the fifty-move rule', async () => {
  const page = await open(explorer('8/8/8/4k3/8/8/8/KBN5 w - - 60 90'));
  await becomes('the result', () => page.locator('.endgame-verdict').textContent(), 'A draw by the fifty-move rule, without which White would win.');
  await matches('the best move', () => page.locator('.endgame-table tbody tr').first().textContent(), /cursed win58–59fifty-move rule: 58–59 half-moves needed, and the counter stands at 60 of 100$/);
});

test('a mate that the search proves is beside the distance, and what the reader hides is not listed', async () => {
  const page = await open(explorer('7k/5Q2/6K1/8/8/8/8/8 w - - 0 1'));
  await matches('mate at once', () => page.locator('.endgame-table tbody tr').first().textContent(), /^Q..#win1mate$/);
  await page.keyboard.press('l');
  await matches('the search agrees', () => page.locator('.endgame-table tbody').textContent(), /win1mate in 1mate/);
  await page.keyboard.press('z');
  await becomes('hidden', () => page.locator('.endgame-table').count(), 0);
});

test('positions of more pieces than the tables have the games that were played', async () => {
  const page = await open(explorer('4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1'));
  await page.getByText('Endgame tables: the position has 6 pieces, and the tables have up to 4.').waitFor();
  await page.locator('.opening-tables').waitFor();
});
