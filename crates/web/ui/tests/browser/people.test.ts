import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { picture, stage, until, yourTurn } from './harness.ts';

/** The folder of real networks; the test that starts this file says that it is needed. */
const NETWORKS = join(process.env['TABIYA_DATA'] ?? '', 'nets');

const { program, open, expectFaults } = stage();

test('a network of lc0 is recognised, kept, plays like people of its rating and predicts them', async () => {
  const page = await open('/networks');
  const file = page.locator('.network-import input[type=file]');
  expectFaults();
  const whole = readFileSync(join(NETWORKS, 'maia-1500.pb.gz'));
  await file.setInputFiles({ name: 'maia-1500.pb.gz', mimeType: 'application/gzip', buffer: whole.subarray(0, 100_000) });
  await page.locator('.network-import .problem', { hasText: 'maia-1500.pb.gz is refused' }).waitFor();
  await file.setInputFiles(join(NETWORKS, 'maia-1500.pb.gz'));
  await page.locator('.recognised', { hasText: 'human 1500' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'maia-1500' }).count(), 0, 'looking keeps nothing');
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  await page.getByRole('link', { name: 'maia-1500' }).click();
  await page.getByText('Imported from').waitFor();
  await page.locator('.probes .arrow').first().waitFor({ state: 'attached' });
  await picture(page, 'network-maia');
  mkdirSync(join(program.folder, 'nets'), { recursive: true });
  copyFileSync(join(NETWORKS, 'maia-1900.pb.gz'), join(program.folder, 'nets', 'maia-1900.pb.gz'));
  await page.goto(`${program.address}/analyse?tab=human&moves=e2e4`);
  const table = page.locator('.human-table');
  // Networks of other people are not mixed with the built-in ones.
  await page.getByText('Files (Maia and others)').click();
  await table.getByRole('columnheader', { name: '1500' }).waitFor();
  await table.getByRole('columnheader', { name: '1900' }).waitFor();
  // Until the networks have answered, rows have no moves; the names of the last rows come before any of their figures.
  await until('moves are there', async () => (await table.locator('tbody button.move').count()) >= 4);
  await page.keyboard.press('l');
  await table.locator('tfoot tr', { hasText: 'lose < 5' }).locator('td', { hasText: /^\d+$/ }).first().waitFor();
  await picture(page, 'analyse-human');
  await page.keyboard.press('l');
  await page.goto(program.address);
  const level = page.locator('input[type=range][aria-valuetext]').first();
  await level.waitFor();
  await level.press('End');
  // The levels of the machine arrive after the page, so the slider may name another network first.
  await page.locator('input[type=range][aria-valuetext]:not([aria-valuetext*="maia"])').first().waitFor();
  await page.getByText('Human-like', { exact: true }).click();
  await page.getByRole('group', { name: 'Plays like people rated, from files' }).getByText('1500', { exact: true }).waitFor();
  await page.getByRole('group', { name: 'Plays like people rated, from files' }).getByText('1900', { exact: true }).click();
  await page.getByText('maia-1900: plays by first sight (1 node)').waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.waitForURL(/\/play\/\d/);
  // The opponent is named once the game has arrived; before, nothing can be moved.
  await page.locator('.opponent-note').waitFor();
  await page.keyboard.press('/');
  await page.locator('.move-entry input').waitFor();
  await page.keyboard.type('e4');
  await page.keyboard.press('Enter');
  const state = await yourTurn(page, 2);
  assert.equal(state.moves.length, 2);
  await until('the opponent is named', async () => (await page.locator('.opponent-note').textContent())?.includes('maia-1900') ?? false);
});
