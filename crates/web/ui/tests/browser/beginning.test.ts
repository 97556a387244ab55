/** Before a game: the board on which the first move begins it, and the choice of opponent, pace and start position. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Page } from 'playwright-core';
import { becomes, click, drag, game, picture, place, says, stage, yourTurn } from './harness.ts';
import { layoutShifts, totalOf } from './layout-shift.ts';

const { program, open } = stage(['--net', 'material']);

test('the front page is a board, light to load and still', async () => {
  const page = await open('/');
  await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
  await becomes('the pieces are set up', () => page.locator('cg-board piece').count(), 32);
  await page.getByText('strength not measured').or(page.getByText('95 %')).waitFor();
  const load = await page.evaluate(() => {
    const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const bytes = files.reduce((sum, file) => sum + file.transferSize, document?.transferSize ?? 0);
    return { bytes, interactive: document?.domInteractive };
  });
  assert.ok(load.bytes <= 90_000, `the first load is ${load.bytes} bytes`);
  const shifts = await layoutShifts(page);
  const shift = totalOf(shifts);
  assert.ok(shift <= 0.02, `the layout shifts by ${shift}: ${shifts.flatMap(({ moved }) => moved).join('; ')}`);
  await picture(page, 'play-start');
});

test('a start position is checked while it is typed, and used', async () => {
  const page = await open('/');
  await page.getByText('Start position and draws').click();
  const field = page.getByLabel('Start position (FEN');
  await field.fill('8/8/8/8 w - - 0 1');
  await page.getByText('The FEN cannot be read').waitFor();
  await field.fill('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1');
  await says(page, 'd2', 'empty');
  await drag(page, 'e2', 'e4');
  await page.waitForURL(/\/play\/\d/);
  assert.equal((await game(page)).moves[0]?.san, 'e4');
});

/** Does not let any answer to such requests through until the returned function is called. */
async function holdBack(page: Page, address: string | RegExp): Promise<() => void> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

test('the board of the document takes the first move while the script is on its way', async () => {
  const page = await open('/networks');
  const release = await holdBack(page, /assets\/.*\.js$/);
  await page.goto(`${program.address}/`, { waitUntil: 'commit' });
  await page.locator('#first[data-ready]').waitFor({ state: 'attached' });
  assert.equal(await page.locator('cg-board').count(), 0, 'the board is that of the document');
  await click(page, 'g1');
  await becomes('both targets are marked', () => page.locator('.first-squares .target').count(), 2);
  await drag(page, 'e2', 'e4');
  await becomes('the move is kept', () => page.locator('#first').getAttribute('data-move'), 'e2e4');
  await becomes('the move is shown', () => page.locator('.first-squares piece').nth(36).getAttribute('class'), 'pawn white moved');
  release();
  await page.waitForURL(/\/play\/\d/);
  const state = await yourTurn(page, 2);
  assert.equal(state.moves[0]?.uci, 'e2e4');
});

test('a first move waits until it is known against whom', async () => {
  const page = await open('/networks');
  const release = await holdBack(page, '**/api/v1/levels');
  await page.goto(`${program.address}/`);
  await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
  await drag(page, 'd2', 'd4');
  await says(page, 'd4', 'white pawn');
  assert.equal(await page.evaluate(() => location.pathname), '/');
  release();
  await page.waitForURL(/\/play\/\d/);
  await yourTurn(page, 2);
  await page.locator('.opponent-note b', { hasText: /^(Casual|Club|Beginner|First steps)/ }).waitFor();
});

test("a person's pace is offered for people's moves under a clock, remembered, and kept by the engine", async () => {
  const page = await open('/');
  const pace = page.getByRole('checkbox', { name: /^Moves at a person's pace/ });
  await page.getByText('Human-like', { exact: true }).click();
  await pace.waitFor();
  await becomes('the pace cannot be chosen without a clock', () => pace.isDisabled(), true);
  await page.getByText('3+2', { exact: true }).click();
  await pace.check();
  await page.getByRole('group', { name: 'Opponent' }).getByText('Network', { exact: true }).click();
  await becomes('an engine has no pace of people', () => pace.count(), 0);
  await page.getByText('Human-like', { exact: true }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
  await becomes('the pace is remembered', () => pace.isChecked(), true);
  const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/games'));
  await drag(page, 'e2', 'e4');
  assert.equal((JSON.parse((await asked).postData() ?? '{}') as { human_time?: boolean }).human_time, true);
  await page.waitForURL(/\/play\/\d/);
  await page.locator('.opponent-note', { hasText: "1 node, at a person's pace" }).waitFor();
  await yourTurn(page, 2);
});

test('opponents: levels on a strip by pointer and by key, networks by name from the server', async () => {
  const page = await open('/');
  const strip = page.locator('.level-strip svg');
  await page.locator('.strip-mark').first().waitFor();
  const levels = (await (await page.request.get('/api/v1/levels')).json()) as { name: string }[];
  const box = await place(page, strip);
  await page.mouse.click(box.x + 2, box.y + 16);
  await page.locator('.level-name', { hasText: levels[0]?.name ?? '' }).waitFor();
  await page.mouse.move(box.x + 2, box.y + 16);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width, box.y + 16, { steps: 5 });
  await page.mouse.up();
  await page.locator('.level-name', { hasText: 'Full strength' }).waitFor();
  await page.getByRole('slider', { name: 'Level' }).press('Home');
  await page.locator('.level-name', { hasText: levels[0]?.name ?? '' }).waitFor();
  await picture(page, 'play-levels');
  await page.getByRole('group', { name: 'Opponent' }).getByText('Network', { exact: true }).click();
  const list = page.locator('.form select');
  await list.waitFor();
  await list.locator('option').first().waitFor({ state: 'attached' });
  const networks = (await (await page.request.get('/api/v1/networks')).json()) as { id: string; problem: string | null }[];
  const offered = async () => (await list.locator('option').evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value))).sort();
  await becomes('every network is offered', offered, networks.filter((one) => !one.problem).map((one) => one.id).sort());
  await list.selectOption('material');
  await page.getByText('Time', { exact: true }).click();
  await page.getByText('Seconds per move:').waitFor();
  await page.getByText('Nodes', { exact: true }).click();
  await drag(page, 'e2', 'e4');
  await page.waitForURL(/\/play\/\d/);
  await page.locator('.opponent-note', { hasText: 'material' }).waitFor();
});
