/** What was worked out stays: over other screens and tabs, for other visitors, and when another game comes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Page } from 'playwright-core';
import { becomes, drag, fromMenu, paste, picture, stage, until } from './harness.ts';

const { open, program, expectFaults } = stage(['--net', 'material']);

const GAME = '[White "Anna"]\n[Black "Bert"]\n[Result "1-0"]\n\n1. e4 e5 (1... c5 { sharp } 2. Nf3) 2. d4 1-0';

/** The address, read in the page itself: the driver learns of a new one later. */
async function address(page: Page): Promise<string> {
  return page.evaluate(() => location.pathname + location.search + location.hash);
}

/** The analysis that the address names. */
async function named(page: Page): Promise<string> {
  await until('the address names an analysis', async () => /[?&]analysis=a/.test(await address(page)));
  return new URL(await address(page), program.address).searchParams.get('analysis') ?? '';
}

/** Waits until the server has an analysis with this text. */
async function kept(page: Page, id: string, text: string): Promise<void> {
  await until(`the server has ${text}`, async () => {
    const answer = await page.request.get(`/api/v1/analyses/${id}`);
    return ((await answer.json()) as { pgn: string } | null)?.pgn.includes(text) ?? false;
  });
}

async function variations(page: Page, count: number): Promise<void> {
  await becomes('the variations', () => page.locator('.variation').count(), count);
}

test('an analysis is there again: from another screen, in another tab, for another visitor', async () => {
  const page = await open('/analyse');
  await paste(page, GAME);
  await variations(page, 1);
  const id = await named(page);
  await kept(page, id, 'sharp');
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.waitForURL(/\/runs/);
  await page.getByRole('link', { name: 'Analyse', exact: true }).click();
  await variations(page, 1);
  assert.equal(await named(page), id);
  const tab = await page.context().newPage();
  await tab.goto(`${program.address}/analyse`);
  await variations(tab, 1);
  // A link from inside the variation has the whole game.
  await page.locator('.variation button.move', { hasText: 'Nf3' }).click();
  await until('the address has the line', async () => (await address(page)).includes('g1f3'));
  const visitor = await open(await address(page));
  await variations(visitor, 1);
  await visitor.getByText('sharp').waitFor();
  await becomes('the move of the link is on the board', () => visitor.locator('.notation [aria-current]').textContent(), 'Nf3');
  await page.bringToFront();
  await fromMenu(page, 'Copy link');
  const link = `${program.address}${await address(page)}`;
  await becomes('the link has the analysis, and its commas are commas', () => page.evaluate(() => navigator.clipboard.readText()), link);
  assert.ok(link.includes(`analysis=${id}`) && !link.includes('%2C'), link);
});

test('a link and a game come back as well', async () => {
  const page = await open('/analyse?moves=e2e4,e7e5,g1f3&ply=1');
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.waitForURL(/\/runs/);
  await page.getByRole('link', { name: 'Analyse', exact: true }).click();
  await becomes('its moves', () => page.locator('.notation button.move').allTextContents(), ['e4', 'e5', 'Nf3']);
  const begun = await page.request.post('/api/v1/games', { headers: { 'content-type': 'application/json' }, data: { color: 'white', nodes: 1, network: 'material' } });
  const { id } = (await begun.json()) as { id: string };
  await page.request.post(`/api/v1/games/${id}/moves`, { headers: { 'content-type': 'application/json' }, data: { ply: 0, uci: 'e2e4' } });
  await page.goto(`${program.address}/analyse/${id}`);
  await page.getByRole('button', { name: 'e4', exact: true }).waitFor();
  await drag(page, 'd2', 'd4');
  await variations(page, 1);
  await kept(page, id, 'd4');
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.waitForURL(/\/runs/);
  await page.getByRole('link', { name: 'Analyse', exact: true }).click();
  await variations(page, 1);
  assert.ok((await address(page)).startsWith(`/analyse/${id}`));
  const visitor = await open(`/analyse/${id}`);
  await variations(visitor, 1);
});

test('a second paste and a new game take nothing away: Back returns, and the last analyses are listed', async () => {
  const page = await open('/analyse');
  await paste(page, GAME);
  await variations(page, 1);
  const first = await named(page);
  await paste(page, '[White "Carl"]\n[Black "Dora"]\n\n1. c4 c5 *');
  await page.getByRole('button', { name: 'c4', exact: true }).waitFor();
  assert.notEqual(await named(page), first);
  await fromMenu(page, 'New game');
  await page.getByText('No move yet.').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'c4', exact: true }).waitFor();
  await page.goBack();
  await variations(page, 1);
  assert.equal(await named(page), first);
  await fromMenu(page, 'Analyses');
  const rows = page.getByRole('dialog').locator('.analyses-list li');
  await rows.filter({ hasText: 'Carl - Dora' }).getByRole('link').waitFor();
  await until('players and result are told', async () => /Anna - Bert.*1-0/.test((await rows.filter({ hasText: 'Anna - Bert' }).allTextContents()).join('')));
  await picture(page, 'analyses');
  await rows.filter({ hasText: 'Carl - Dora' }).getByRole('link').click();
  await page.getByRole('button', { name: 'c5', exact: true }).waitFor();
  await becomes('the dialog is closed', () => page.getByRole('dialog').count(), 0);
  await fromMenu(page, 'Analyses');
  await page.getByRole('button', { name: 'Delete Carl - Dora' }).click();
  await becomes('it is gone', () => rows.filter({ hasText: 'Carl - Dora' }).count(), 0);
});

test('two tabs follow each other, and two visitors lose nothing to each other', async () => {
  const page = await open('/analyse');
  await paste(page, '1. d4 d5 *');
  const id = await named(page);
  await kept(page, id, 'd5');
  const tab = await page.context().newPage();
  await tab.goto(program.address + (await address(page)));
  await tab.getByRole('button', { name: 'd5', exact: true }).waitFor();
  const visitor = await open(await address(page));
  await visitor.getByRole('button', { name: 'd5', exact: true }).waitFor();
  await page.keyboard.press('End');
  await drag(page, 'c2', 'c4');
  await tab.getByRole('button', { name: 'c4', exact: true }).waitFor();
  await kept(page, id, 'c4');
  expectFaults();
  await visitor.keyboard.press('End');
  await drag(visitor, 'g1', 'f3');
  await visitor.getByText('Another page has changed this analysis').waitFor();
  const copy = await named(visitor);
  assert.notEqual(copy, id);
  await kept(visitor, copy, 'Nf3');
  await kept(page, id, 'c4');
});
