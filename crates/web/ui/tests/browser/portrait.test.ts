/** Portraits of a game by networks. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes, matches, picture, settled, stage, until } from './harness.ts';

const { open } = stage(['--net', 'cnn']);

/** Scholar's mate, defended too late: the queen hangs before the mate. */
const MOVES = 'e2e4,e7e5,d1h5,b8c6,f1c4,g8f6,h5f7';
/** Morphy's game at the opera, Paris 1858: enough moves for a level. */
const OPERA =
  'e2e4,e7e5,g1f3,d7d6,d2d4,c8g4,d4e5,g4f3,d1f3,d6e5,f1c4,g8f6,f3b3,d8e7,b1c3,c7c6,c1g5,b7b5,c3b5,c6b5,c4b5,b8d7,e1c1,a8d8,d1d7,d8d7,h1d1,e7e6,b5d7,f6d7,b3b8,d7b8,d1d8';
/** A level with its interval, which may be open at one end. */
const LEVEL = /\d{3,4} \((up to \d{3,4}|\d{3,4} to \d{3,4}|\d{3,4} and more)\)/;

test('whom each side played like, what people lose, and where two networks differ', async () => {
  const page = await open(`/analyse?moves=${OPERA}&ply=33&tab=review&net2=default`);
  await page.getByText('A review shows where its search overruled').waitFor();
  await page.locator('.portrait').getByText('People', { exact: true }).click();
  const table = page.locator('.portrait .review-table');
  await table.getByText('Played like').waitFor();
  const like = await settled(page, 'both sides', () => table.locator('tbody tr').first().locator('td').allTextContents(), (sides) => sides.length === 2);
  for (const side of like) assert.match(side, LEVEL);
  const strip = page.locator('.portrait .strip');
  await matches('the strip says what it shows', () => strip.getAttribute('aria-label'), /What was lost at each move, and what people of \d+ lose there/);
  await becomes('a tick for each move', () => strip.locator('line:not(.graph-cursor)').count(), 33);
  const ends = () => table.evaluate((one) => [one.getBoundingClientRect().right, (one.closest('.tab-content') as HTMLElement).getBoundingClientRect().right]);
  const [inner, outer] = await settled(page, 'the table', ends);
  assert.ok((inner ?? 0) <= (outer ?? 0) + 1, 'no column is cut');
  await picture(page, 'people-of-a-game');
  await page.locator('.portrait').getByText('Two networks', { exact: true }).click();
  await page.getByText(/nats apart on average/).waitFor();
  await page.locator('.named-plies button').first().click();
  await until('the board goes there', async () => !page.url().includes('ply=33'));
  await picture(page, 'networks-split');
});

test('a review begins with whom the sides played like, and says so if the moves are too few', async () => {
  const reviewed = async (moves: string) => {
    const page = await open(`/analyse?moves=${moves}&ply=1&tab=review`);
    await page.getByLabel('Nodes per position').selectOption('50');
    await page.getByRole('button', { name: 'Review the game' }).click();
    return page;
  };
  const page = await reviewed(OPERA);
  await matches('both sides', () => page.locator('.played-like').textContent(), new RegExp(`^White played like ${LEVEL.source}, Black like ${LEVEL.source}$`));
  await picture(page, 'review-people');
  await (await reviewed('d2d4,d7d5,c2c4')).getByText('Too few moves, or too common ones').waitFor();
});

test('nothing is asked of networks before the server has told which there are', async () => {
  const page = await open('/');
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  // As on a busy machine: the page's data come late, and clicks come early.
  await page.route('**/api/v1/networks', async (route) => {
    await held;
    await route.continue();
  });
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/portraits|judgements/.test(request.url())) asked.push(`${request.url()} ${request.postData()}`);
  });
  await page.goto(`/analyse?moves=${MOVES}&ply=7&tab=review&net=gone&net2=default`);
  await page.locator('.portrait').getByText('People', { exact: true }).click();
  await page.getByRole('tab', { name: 'Openings' }).click();
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.locator('.portrait').getByText('People', { exact: true }).click();
  await page.waitForTimeout(500);
  assert.deepEqual(asked, []);
  release();
  await page.locator('.portrait .review-table').getByText('Played like').waitFor();
  await page.getByText('There is no network gone').waitFor();
});

test('a review tells where its search overruled the first sight', async () => {
  const page = await open(`/analyse?moves=${MOVES}&ply=7&tab=review`);
  await page.getByLabel('Nodes per position').selectOption('200');
  await page.getByRole('button', { name: 'Review the game' }).click();
  await page.getByText('Accuracy', { exact: true }).waitFor();
  const named = page.locator('.named-plies li');
  await matches('surprises are named', () => named.first().textContent(), /found by the search; at first sight \d+ %/);
  await named.first().getByRole('button').click();
  await picture(page, 'surprise');
});
