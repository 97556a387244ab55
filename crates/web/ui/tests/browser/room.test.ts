/** Room for what the reader asked for: on very wide screens, between the board and the steps of a small phone, for the legend, the times and the phases. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes, matches, paste, place, stage } from './harness.ts';
import { layoutShifts, totalOf } from './layout-shift.ts';

const { open } = stage(['--net', 'material']);

const MOVES = 'e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,c2c3,g8f6,d2d3,d7d6,e1g1,e8g8,f1e1,a7a6,a2a4,c5a7,h2h3,h7h6,b1d2,f8e8';

for (const viewport of [{ width: 1920, height: 1080 }, { width: 2560, height: 1440 }]) {
  test(`the moves have a column of their own, and search and tabs the rest: ${viewport.width}x${viewport.height}`, async () => {
    const page = await open(`/analyse?moves=${MOVES}&tab=human&nodes=100`, { viewport });
    const [search, tabs, moves] = [await place(page, '.search-panel'), await place(page, '.game-panel'), await place(page, '.moves-panel')];
    assert.ok(tabs.width >= 560 && search.width >= 560, `${tabs.width} px for the tabs, ${search.width} for the search`);
    assert.ok(tabs.y >= search.y + search.height && tabs.y + tabs.height <= viewport.height, 'the tabs are below the search, and in sight');
    assert.ok(tabs.height >= 400, `${tabs.height} px for the tabs`);
    assert.ok(moves.x >= search.x + search.width && moves.y <= search.y + 1, 'the moves are beside both');
    await becomes('every move is in its column', () => page.locator('.moves-panel .notation button.move').count(), 20);
    assert.equal(await page.getByRole('tab', { name: 'Moves' }).count(), 0, 'the moves are no tab');
    await page.keyboard.press('l');
    await becomes('ten rows at most', () => page.locator('.move-table tbody tr').count(), 10);
    const size = await page.locator('.moves-panel .notation').evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize));
    assert.equal(size, viewport.width >= 2200 ? 16 : 14);
  });
}

test('beside a very large board the form of a game is wider, and its text and controls are larger', async () => {
  const page = await open('/', { viewport: { width: 2560, height: 1440 } });
  await page.locator('.strip-mark').first().waitFor();
  const [panel, strip, choice] = [await place(page, '.panel'), await place(page, '.level-strip'), await place(page, '.form .segments-row label span')];
  assert.ok(panel.width >= 640 && panel.x + panel.width <= 2560, JSON.stringify(panel));
  assert.ok(strip.width >= panel.width - 64, `${strip.width} px for the levels of ${panel.width}`);
  assert.ok(choice.height >= 36, `${choice.height} px`);
  const size = await page.locator('.form .segments-row label span').first().evaluate((one) => getComputedStyle(one).fontSize);
  assert.equal(size, '16px');
  assert.ok(totalOf(await layoutShifts(page)) < 0.02);
});

test('between a wide window and a smaller one the moves come and go as a tab', async () => {
  const page = await open(`/analyse?moves=${MOVES}`, { viewport: { width: 1920, height: 1080 } });
  await page.getByRole('tab', { name: 'Openings', selected: true }).waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('tab', { name: 'Moves', selected: true }).waitFor();
  await becomes('one list of moves', () => page.locator('.notation').count(), 1);
});

for (const strength of ['level', 'people', 'system'] as const) {
  test(`on a small phone nothing moves when the opponents arrive late: ${strength}`, async () => {
    const page = await open('/', { viewport: { width: 360, height: 740 } });
    await page.evaluate((chosen) => localStorage.setItem('tabiya.choices', JSON.stringify({ strength: chosen })), strength);
    for (const answer of ['levels', 'networks']) {
      await page.route(`**/api/v1/${answer}`, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 700));
        await route.continue();
      });
    }
    await page.reload();
    await page.locator('button.primary:enabled').waitFor();
    const shifts = (await layoutShifts(page)).filter(({ afterInput }) => !afterInput);
    assert.ok(totalOf(shifts) < 0.02, `${totalOf(shifts)}: ${shifts.flatMap(({ moved }) => moved).join('; ')}`);
  });
}

test('before the first search the tabs have the room of its table, and no pause or step moves them later', async () => {
  const page = await open(`/analyse?moves=${MOVES}&nodes=100`, { viewport: { width: 1440, height: 900 } });
  await becomes('the moves are there', () => page.locator('.notation button.move').count(), 20);
  const before = await place(page, '.tab-content');
  await page.keyboard.press('l');
  await page.locator('.move-table tbody tr').first().waitFor();
  const after = await place(page, '.tab-content');
  assert.ok(before.height >= after.height + 100, `${before.height} px, then ${after.height}`);
  await page.keyboard.press('l');
  await page.keyboard.press('ArrowLeft');
  assert.deepEqual(await place(page, '.tab-content'), after);
});

test('on a small phone what has the focus is neither under the board nor under the steps', async () => {
  const page = await open(`/analyse?moves=${MOVES}`, { viewport: { width: 360, height: 740 } });
  await becomes('the moves are there', () => page.locator('.notation button.move').count(), 20);
  const hidden: string[] = [];
  let focused = 0;
  for (let press = 0; press < 60; press++) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate(() => {
      const one = document.activeElement;
      if (!one || one === document.body || one.closest('.board-column')) return null;
      const { left, top, width, height } = one.getBoundingClientRect();
      const seen = [0.1, 0.5, 0.9].some((part) => {
        const at = document.elementFromPoint(left + width / 2, top + height * part);
        return at !== null && (one.contains(at) || (one.closest('label')?.contains(at) ?? false));
      });
      return { seen, name: `${one.tagName} ${one.getAttribute('aria-label') ?? one.textContent?.slice(0, 40)} at ${Math.round(top)}` };
    });
    if (found) focused += 1;
    if (found && !found.seen) hidden.push(found.name);
  }
  assert.ok(focused > 30, `${focused} elements had the focus`);
  assert.deepEqual(hidden, []);
});

test('on a small phone the board stays among the moves, and scrolls away from what is read', async () => {
  const page = await open(`/analyse?moves=${MOVES}`, { viewport: { width: 360, height: 740 } });
  await becomes('the moves are there', () => page.locator('.notation button.move').count(), 20);
  const scrolled = async () => {
    await page.evaluate(() => scrollTo(0, 150));
    return (await place(page, '.board-squares')).y;
  };
  assert.ok((await scrolled()) >= 0, 'the board stays');
  await page.getByRole('tab', { name: 'Human' }).click();
  assert.ok((await scrolled()) < 0, 'the board scrolls away');
  await page.getByRole('tab', { name: 'Moves' }).click();
  assert.ok((await scrolled()) >= 0, 'the board is back');
});

test('the arrows have a legend in a line that is free, and it is hidden for good', async () => {
  const page = await open(`/analyse?moves=${MOVES}&ply=1&nodes=100`);
  const legend = page.locator('.explained .arrow-legend');
  await page.keyboard.press('l');
  await matches('colours and figures are explained', () => legend.textContent(), /blue: searched · figure: share of the search in % \(v\) · dark: played next/);
  const before = await place(page, '.engine-bar');
  await page.keyboard.press('v');
  await matches('another figure', () => legend.textContent(), /figure: win % \(v\)/);
  await page.getByRole('button', { name: 'Hide the legend for good' }).click();
  await becomes('it is gone', () => legend.textContent(), '');
  assert.deepEqual(await place(page, '.engine-bar'), before, 'nothing has moved');
  await page.reload();
  await page.getByText('done ·').waitFor();
  await becomes('it stays away', () => legend.textContent(), '');
});

test('the times of the moves stand below the curve', async () => {
  const page = await open('/analyse');
  await paste(page, '[TimeControl "180+2"]\n\n1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:58]} 2. Nf3 {[%clk 0:02:52]} *');
  await page.getByRole('button', { name: 'Nf3', exact: true }).click();
  const curve = page.getByRole('slider', { name: 'Win percentage over the game' });
  await becomes('the time is told', () => curve.getAttribute('aria-valuetext'), '2. Nf3: not evaluated, after 10 s');
  await becomes('two moves took time', async () => (await page.locator('.graph-times').getAttribute('d'))?.match(/M/g)?.length, 2);
});

test('the endgame begins at a hairline in the curve, which names the phase of a move', async () => {
  const fen = encodeURIComponent('2rr2k1/ppp2pp1/8/3b4/2B5/5N2/PPP2PP1/2RR2K1 w - - 0 1');
  const page = await open(`/analyse?fen=${fen}&moves=c4d5,d8d5`);
  await page.locator('.graph-endgame').waitFor({ state: 'attached' });
  const told = () => page.getByRole('slider', { name: 'Win percentage over the game' }).getAttribute('aria-valuetext');
  await becomes('the endgame', told, '1... Rxd5: not evaluated, endgame');
  await page.keyboard.press('ArrowLeft');
  await becomes('the phase before', told, '1. Bxd5: not evaluated, middlegame');
});
