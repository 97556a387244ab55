/** Whom to play against: the systems, and a level that follows the strength of the person. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes, drag, picture, resign, stage, yourTurn } from './harness.ts';

const { open } = stage();

test('a level that follows: after a lost game a weaker one, with the strength that is known', async () => {
  const page = await open('/');
  const follow = page.getByRole('checkbox', { name: 'Follow my strength' });
  await page.getByText('after a game against a level with a rating').waitFor();
  assert.ok(await follow.isDisabled());
  const levels = (await (await page.request.get('/api/v1/levels')).json()) as { name: string; measurement: { elo: number } | null }[];
  const third = levels[2];
  assert.ok(third?.measurement, 'the third level was measured');
  await page.locator('.level-name', { hasText: third.name }).waitFor();
  await drag(page, 'e2', 'e4');
  await page.waitForURL(/\/play\/\d/);
  await yourTurn(page, 2);
  await resign(page);
  await page.goto(new URL('/?new=1', page.url()).href);
  await page.getByText(/you: about \d+ \(95 %: -?\d+ to \d+\) after 1 game/).waitFor();
  await follow.check();
  // One lost game costs some 180 points where nothing was known, which is one level here.
  await page.locator('.level-name', { hasText: levels[1]?.name ?? '' }).waitFor();
  await picture(page, 'play-follow');
  // A level chosen by hand is kept.
  await page.getByRole('slider', { name: 'Level' }).press('Home');
  await page.locator('.level-name', { hasText: levels[0]?.name ?? '' }).waitFor();
  assert.ok(!(await follow.isChecked()));
});

test('the systems: opponents by name, each with its own search', async () => {
  const page = await open('/');
  await page.getByRole('group', { name: 'Opponent' }).getByText('Systems', { exact: true }).click();
  const systems = page.getByRole('group', { name: 'System', exact: true });
  await becomes('every system is offered', () => systems.locator('label').allInnerTexts(), [
    'COGS188 ChessCNNMCTS',
    'COGS188 ChessCNNMCTS, corrected',
    'Catfish V3',
    'Catfish, on a whole board',
    'AIChess',
    'AIChess, corrected',
    'Chess MLX CNN',
    'Chess MLX CNN, corrected',
    'Knights and Kernels, moves',
    'Knights and Kernels, values',
    'Knights and Kernels, generation E4',
    'Knights and Kernels, generation E3',
    'Knights and Kernels, generation E1',
  ]);
  await systems.getByText('Knights and Kernels, values').click();
  await page.getByText('trained again by recipes/knights-el and searching as it did').waitFor();
  await systems.getByText('Knights and Kernels, moves').click();
  await page.getByText('its network has no value to search by').waitFor();
  await systems.getByText('Knights and Kernels, values').click();
  await page.getByRole('checkbox', { name: 'With a search' }).check();
  await page.getByText('searching as Tabiya does; 1000 nodes a move · strength not measured').waitFor();
  await picture(page, 'play-systems');
  await drag(page, 'e2', 'e4');
  await page.waitForURL(/\/play\/\d/);
  await page.locator('.opponent-note', { hasText: 'Knights and Kernels' }).waitFor();
  assert.equal((await yourTurn(page, 2)).moves.length, 2);
});
