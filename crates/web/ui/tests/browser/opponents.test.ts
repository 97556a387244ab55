/** Whom to play against: the systems, and a level that follows the strength of the person; and the list of games against them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes, drag, matches, picture, resign, settled, stage, yourTurn } from './harness.ts';

const { open, program } = stage();

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
    'Knights and Kernels, corrected',
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

/** Plays a game of one move against the counter of material, and gives it up if it is to have an end. */
async function played(color: 'white' | 'black', resigned: boolean): Promise<void> {
  const ask = async (path: string, body: object) => {
    const answer = await fetch(`${program.address}/api/v1/games${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return (await answer.json()) as { id: string };
  };
  const { id } = await ask('', { color, nodes: 1, network: 'material' });
  if (color === 'white') await ask(`/${id}/moves`, { ply: 0, uci: 'e2e4' });
  if (resigned) await ask(`/${id}/resign`, {});
}

test('the games played here are found by colour, result, opening, position and day, sorted, and open from the list', async () => {
  await played('white', true);
  await played('black', true);
  await played('white', false);
  const page = await open('/?new=1');
  await page.locator('.recent li', { hasText: 'against material, 1 move' }).first().waitFor();
  await page.getByRole('heading', { name: /^Games/ }).getByRole('link').click();
  await page.waitForURL(/\/play\/games/);
  const rows = page.getByRole('region', { name: 'Games' }).locator('tbody tr');
  const all = await settled(page, 'the rows', () => rows.count(), (count) => count >= 3);
  await page.getByLabel('Your colour').selectOption('black');
  await becomes('one was played as Black', () => rows.count(), 1);
  await page.getByText('1 game: 0 won, 0 drawn, 1 lost, 0.0 % of the points').waitFor();
  await page.waitForURL(/colour=black/);
  await page.reload();
  await becomes('the address keeps the filter', () => rows.count(), 1);
  await page.getByRole('button', { name: 'All games' }).click();
  await becomes('all are back', () => rows.count(), all);
  await page.getByLabel('Position').fill('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1');
  await settled(page, 'those with 1. e4', () => rows.count(), (count) => count >= 1 && count < all);
  await matches('openings have names', () => rows.first().locator('.opening-column').textContent(), /^[A-E]\d\d \S/);
  await page.waitForURL(/fen=rnbqkbnr/);
  await page.getByLabel('Position').fill('rnbqkbnr');
  await page.getByText('The FEN cannot be read').waitFor();
  await page.getByLabel('Position').fill('');
  await page.getByLabel('Opening').fill('no such opening');
  await page.getByText('No game has all of this.').waitFor();
  await page.getByRole('button', { name: 'All games' }).click();
  await becomes('all are back again', () => rows.count(), all);
  await page.getByLabel('Result').selectOption('unfinished');
  // Other tests leave games without an end, too.
  await settled(page, 'those without an end', () => rows.count(), (count) => count >= 1 && count < all);
  await page.getByLabel('From').fill('2001-01-01');
  await page.getByLabel('To', { exact: true }).fill('2001-01-02');
  await page.getByText('No game has all of this.').waitFor();
  await page.getByRole('button', { name: 'All games' }).click();
  await page.getByRole('button', { name: 'Result', exact: true }).click();
  await becomes('the head says the order', () => page.getByRole('columnheader', { name: 'Result' }).getAttribute('aria-sort'), 'descending');
  await picture(page, 'games');
  await rows.first().getByRole('link', { name: 'analyse' }).click();
  await page.waitForURL(/\/analyse/);
});
