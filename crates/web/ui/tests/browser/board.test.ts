import assert from 'node:assert/strict';
import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Page } from 'playwright-core';
import { PATIENCE_MS, SIZES, answered, becomes, device, drag, fromMenu, matches, networksKnown, paste, picture, place, said, says, settled, stage, until, withoutEnd } from './harness.ts';
import { layoutShifts, totalOf } from './layout-shift.ts';
import { LONG } from './long-game.ts';

const { open, program, expectFaults } = stage();

/** Puts a reviewed game on the board. */
async function reviewed(page: Page, game = LONG, nodes = '50'): Promise<void> {
  await paste(page, game);
  await page.locator('.notation button.move').first().waitFor({ state: 'attached' });
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByLabel('Nodes per position').selectOption(nodes);
  await page.getByRole('button', { name: 'Review the game' }).click();
  await page.getByText('Accuracy', { exact: true }).waitFor({ state: 'attached' });
  // On a wide screen the moves are always there, and no tab.
  if ((page.viewportSize()?.width ?? 0) < 1800) await page.getByRole('tab', { name: 'Moves' }).click();
}

for (const viewport of SIZES.slice(0, 3)) {
  test(`everything of a reviewed game is in sight at ${viewport.width}x${viewport.height}`, async () => {
    const page = await open('/analyse', { viewport });
    await reviewed(page);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('l');
    // Read in one call: between two calls, the rows of the previous position may disappear.
    const spare = () =>
      page.evaluate(() => {
        const sixth = document.querySelectorAll('.move-table tbody tr')[5]?.getBoundingClientRect();
        const slot = document.querySelector('.table-slot')?.getBoundingClientRect();
        return sixth && slot ? slot.bottom - sixth.bottom : null;
      });
    assert.ok(((await settled(page, 'six rows', spare, (found) => found !== null)) ?? -Infinity) >= -1, 'the sixth row is cut off');
    for (const selector of ['.board-squares', '.headline b', '.graph svg', '.tab-content', '.step-buttons', '.wdl-bar']) {
      const { x, y, width, height } = await place(page, selector);
      assert.ok(x >= 0 && y >= 0 && x + width <= viewport.width && y + height <= viewport.height, `${selector} is out of sight`);
    }
    const least = viewport.height >= 840 ? 240 : 164;
    assert.ok((await place(page, '.tab-content')).height >= least, `less than ${least} px of moves`);
    assert.ok((await place(page, '.graph svg')).height >= 94, 'the curve is flat');
    const scrolls = () =>
      page.evaluate(() => ({
        page: document.documentElement.scrollHeight > innerHeight,
        panel: [...document.querySelectorAll('.panel, .table-slot, .move-table-box')].some((one) => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY === 'auto' && !one.matches('.move-table-box')),
      }));
    assert.deepEqual(await settled(page, 'what scrolls', scrolls), { page: false, panel: false });
    assert.ok((await settled(page, 'the buttons', () => page.locator('button.primary:visible').count())) <= 1, 'more than one filled button');
  });
}

test('nothing moves when the engine starts and stops, a message comes, or a row is under the pointer', async () => {
  const page = await open('/analyse');
  const places = () =>
    page.evaluate(() => ['.board-squares', '.headline-row', '.table-slot', '.note-line', '.tabs', '.tab-content', '.dock'].map((selector) => document.querySelector(selector)?.getBoundingClientRect().toJSON() as unknown));
  // The announcement for screen readers says it too, for longer.
  const paused = page.locator('.engine-status').getByText('paused');
  await withoutEnd(page);
  await networksKnown(page);
  // The first search takes its room.
  await page.keyboard.press('l');
  await page.locator('.move-table tbody tr').first().waitFor();
  await page.keyboard.press('l');
  await paused.waitFor();
  const before = await settled(page, 'the places', places);
  await page.keyboard.press('l');
  await until('the search goes on', async () => (await paused.count()) === 0);
  assert.deepEqual(await places(), before, 'the search started');
  await page.locator('.move-table tbody tr').nth(1).hover();
  assert.deepEqual(await places(), before, 'a row is under the pointer');
  await page.keyboard.press('l');
  await paused.waitFor();
  await answered(page, 'Copy PGN', 'PGN copied.');
  assert.deepEqual(await places(), before, 'a message came');
  // The first message may still be shown, so only the copied text proves that the second copy worked.
  await page.evaluate(() => navigator.clipboard.writeText('nothing'));
  await fromMenu(page, 'Copy PGN');
  await until('the game is copied again', () => page.evaluate(async () => (await navigator.clipboard.readText()) !== 'nothing'));
  assert.equal(await page.evaluate(() => location.pathname), '/analyse', 'the second click on the same place did something else');
  await page.keyboard.press('t');
  await page.getByRole('button', { name: 'As list' }).click();
  await page.mouse.move(300, 300);
  await page.mouse.wheel(0, 400);
  assert.deepEqual(await places(), before, 'the tree is a list');
  assert.equal(await page.evaluate(() => scrollY), 0);
});

test('arrows: shafts, then heads, then labels; no two labels touch, and none is drawn under an arrow', async () => {
  const page = await open('/analyse?fen=' + encodeURIComponent('4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1'));
  await page.keyboard.press('n');
  await page.getByLabel('Second network', { exact: true }).selectOption('material');
  await withoutEnd(page);
  await page.keyboard.press('l');
  await until('both networks draw', async () => (await page.locator('.arrow.net-a').count()) > 0 && (await page.locator('.arrow.net-b').count()) > 0);
  await page.keyboard.press('l');
  await page.getByText('paused').waitFor();
  const drawn = () => page.evaluate(() => {
    const kinds = [...document.querySelectorAll('.board .arrow-layer :is(line.arrow, .arrow-head, .arrow-label)')].map((one) => one.tagName);
    const places = [...document.querySelectorAll('.board .arrow-label')].map((one) => one.getAttribute('transform') ?? '');
    return { kinds, places, radius: Number(document.querySelector('.arrow-label circle')?.getAttribute('r')) };
  });
  const found = await settled(page, 'the arrows', drawn);
  const order = found.kinds.map((kind) => ['line', 'path', 'g'].indexOf(kind));
  assert.deepEqual(order, [...order].sort((a, b) => a - b));
  const points = found.places.map((place) => (/translate\((\S+) (\S+)\)/.exec(place) ?? []).slice(1).map(Number) as [number, number]);
  assert.ok(points.length >= 2);
  for (const [index, [x, y]] of points.entries()) {
    for (const [otherX, otherY] of points.slice(index + 1)) assert.ok(Math.hypot(x - otherX, y - otherY) >= 2 * found.radius, 'labels overlap');
  }
});

test('at a mistake the page says why, from the review alone: sentence, glyph, better move, bar and line', async () => {
  const page = await open('/analyse');
  await reviewed(page, '1. e4 e5 2. Qh5 Nc6 3. Qxh7 Rxh7 4. Nf3 *', '200');
  for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight');
  const sentence = page.locator('.why-sentence', { hasText: /3\. Qxh7 loses \d+ points: best was \S+/ });
  await sentence.waitFor();
  await becomes('the glyph is on the board', () => page.locator('.board-badge text').textContent(), '??');
  await page.locator('.arrow.better').waitFor({ state: 'attached' });
  await matches('the bar has the value', () => page.locator('.wdl-bar').getAttribute('aria-label'), /White \d+ %/);
  assert.equal(Number(await page.locator('.engine-figures').getAttribute('data-nodes')), 0, 'nothing was searched');
  await picture(page, 'analyse-why');
  const best = (await sentence.textContent())?.split('best was ')[1]?.trim() ?? '';
  await page.locator('.why-line button').first().click();
  await page.locator('.variation', { hasText: best }).waitFor();
});

test('first sight against search: the prior has a bar beside the visits, and what the search overruled is marked', async () => {
  // A hanging pawn: the first sight may miss what a thousand visits find.
  const page = await open('/analyse?nodes=1000&fen=' + encodeURIComponent('r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4'));
  await page.keyboard.press('l');
  await page.getByText('solved').or(page.getByText('done ·')).first().waitFor();
  for (const bar of ['prior-bar', 'visits-bar']) await until(`each row has its ${bar}`, async () => (await page.locator(`.move-table .${bar}`).count()) >= 6);
  const first = page.locator('.move-table tbody tr').first();
  await becomes('the mate comes first', () => first.locator('th').textContent(), 'Qxf7#');
});

test('a budget of one visit is the first sight, also after a long search', async () => {
  const page = await open('/analyse?nodes=300');
  await page.keyboard.press('l');
  await page.getByText('300 nodes').waitFor();
  await page.getByRole('slider', { name: 'Budget' }).fill('0');
  await page.getByText('1 node ·').waitFor();
});

test('a search is recorded from its first visit on and looked at again', async () => {
  const page = await open('/analyse?tab=replay');
  await page.getByRole('button', { name: 'Record the search' }).click();
  await until('some steps are recorded', async () => (await page.locator('.replay-shares polyline').count()) > 0);
  const slider = page.getByRole('slider', { name: 'Visits' });
  await until('nine steps are recorded', async () => Number(await slider.getAttribute('max')) >= 8);
  await page.getByRole('button', { name: 'Stop recording' }).click();
  await slider.fill('0');
  await page.locator('.replay-slider [role=status]', { hasText: /^1 visit$/ }).waitFor();
  await until('the first visit has arrows', async () => (await page.locator('.arrow.net-a').count()) > 0);
  await slider.fill('7');
  await page.locator('.replay-slider [role=status]', { hasText: /^\d\d+ visits$/ }).waitFor();
  await until('later visits have arrows', async () => (await page.locator('.arrow.net-a').count()) > 0);
  await page.getByRole('tab', { name: 'Tree' }).click();
  await until('the tree of that step is drawn', async () => (await page.locator('.icicle-block').count()) > 0);
  await page.getByRole('tab', { name: 'Replay' }).click();
  // From so late a step, playback may end before the test looks; it then starts again with the first step.
  await until('it plays by itself', async () => {
    await page.getByRole('button', { name: 'Replay', exact: true }).click({ timeout: 5000 }).catch(() => undefined);
    return (await page.getByRole('button', { name: 'Halt' }).count()) > 0;
  });
  await page.getByRole('button', { name: 'Back to the live search' }).click();
  await picture(page, 'analyse-replay');
});

test('the worth of pieces: each is taken away, and the network is asked again', async () => {
  const page = await open('/analyse?fen=' + encodeURIComponent('4k3/pppp4/8/8/8/8/PPPP4/Q3K3 w - - 0 1'));
  for (let press = 0; press < 3; press++) await page.keyboard.press('h');
  await page.getByText('Heat: pawns that each piece is worth').waitFor();
  await until('nine pieces have a figure', async () => (await page.locator('.heat-figure').count()) === 9);
  const worth = await settled(page, 'nine figures', () => page.locator('.heat-figure').evaluateAll((all) => all.map((one) => Number(one.textContent))), (all) => all.length === 9);
  assert.ok(Math.max(...worth) >= 1, `a queen is worth something: ${worth}`);
});

test('pasted anywhere: a FEN, a PGN, and nonsense that says so', async () => {
  const page = await open('/networks');
  await paste(page, '7k/8/8/8/8/8/R7/1R2K3 w - - 0 1');
  await page.waitForURL(/\/analyse/);
  await says(page, 'a2', 'white rook');
  await paste(page, '1. d4 d5 2. c4 *');
  await page.locator('.notation button.move', { hasText: 'c4' }).waitFor();
  for (const [text, problem] of [
    ['lorem ipsum dolor', 'Neither a FEN nor moves nor PGN'],
    ['https://lichess.org/abcdefgh', 'This is an address'],
    ['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1r w KQkq - 0 1', 'The FEN cannot be read'],
    ['1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Nxz4 Nf6 *', 'column 34: found "Nxz4"'],
  ] as const) {
    await paste(page, text);
    await page.getByRole('dialog').getByText(problem).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});

test('a game of 30,000 moves is read as far as a game can be', async () => {
  const page = await open('/analyse');
  const moves = Array.from({ length: 7500 }, (_, index) => `${2 * index + 1}. Nf3 Nf6 ${2 * index + 2}. Ng1 Ng8`).join(' ');
  await fromMenu(page, 'Import');
  await page.getByLabel('PGN, a FEN').fill(`${moves} *`);
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('dialog').getByText('Everything before it was kept').waitFor();
});

test('the wheel over the board and a swipe below it walk through the game', async () => {
  const page = await open('/analyse?moves=e2e4,e7e5,g1f3');
  const squares = await place(page, '.board-squares');
  await page.mouse.move(squares.x + 100, squares.y + 100);
  await page.mouse.wheel(0, -100);
  await until('a move back', async () => (await said(page, 'g1')).includes('white knight'));
  await page.mouse.wheel(0, 100);
  await until('a move on', async () => (await said(page, 'f3')).includes('white knight'));
  const swipe = (from: number, to: number) =>
    page.locator('.board-line').last().evaluate(
      (line, [start, end]) => {
        const touch = (x: number) => new Touch({ identifier: 1, target: line, clientX: x ?? 0, clientY: 10 });
        line.dispatchEvent(new TouchEvent('touchstart', { touches: [touch(start ?? 0)], changedTouches: [touch(start ?? 0)], bubbles: true }));
        line.dispatchEvent(new TouchEvent('touchend', { touches: [], changedTouches: [touch(end ?? 0)], bubbles: true }));
      },
      [from, to],
    );
  await swipe(100, 220);
  await until('a swipe to the right goes back', async () => (await said(page, 'g1')).includes('white knight'));
  await swipe(220, 100);
  await until('a swipe to the left goes on', async () => (await said(page, 'f3')).includes('white knight'));
});

test('the engine stays on after a reload, and wrong addresses are answered', async () => {
  const page = await open('/analyse?nodes=2000&net=nope');
  await page.getByText('There is no network nope').waitFor();
  await page.waitForURL(/nodes=2000/);
  await page.keyboard.press('l');
  await page.getByText('done ·').waitFor();
  await page.getByText('2,000 nodes').waitFor();
  await page.reload();
  await page.getByText('2,000 nodes').waitFor();
  await page.goto(`${program.address}/analyse?moves=e2e4,e2e5`);
  await page.getByText('The address names the move "e2e5" after 1').waitFor();
  await page.goto(`${program.address}/analyse?nodes=many`);
  await page.getByText('The address has nodes=many').waitFor();
  await page.getByRole('slider', { name: 'Budget' }).focus();
  await page.keyboard.press('ArrowLeft');
  await becomes('another budget answers it', () => page.getByText('The address has nodes=many').count(), 0);
  await page.goto(`${program.address}/analyse?net=nope`);
  await page.getByText('There is no network nope').waitFor();
  await page.getByRole('combobox', { name: 'Network', exact: true }).selectOption('default');
  await becomes('a choice answers it', () => page.getByText('There is no network nope').count(), 0);
});

test('moves are announced, and the first one by keyboard keeps the focus', async () => {
  const page = await open('/');
  await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
  await page.locator('[data-square=e2]').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  const heard: string[] = [];
  await page.exposeFunction('hear', (text: string) => void heard.push(text));
  await page.evaluate(() => {
    const region = document.querySelector('.sr-only[aria-live]') as HTMLElement;
    new MutationObserver(() => void (window as unknown as { hear: (text: string) => void }).hear(region.textContent ?? '')).observe(region, { childList: true, characterData: true, subtree: true });
  });
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/play\/\d/);
  await until('the own move is heard', async () => heard.some((text) => text.startsWith('White: pawn e4')));
  await until('the reply is heard', async () => heard.some((text) => text.includes('Black: ')));
  await becomes('the square has the focus', () => page.evaluate(() => (document.activeElement as HTMLElement).dataset['square']), 'e4');
  await page.goto(program.address);
  await page.waitForURL(/\/play\/\d/);
  await page.getByRole('link', { name: 'New game' }).click();
  await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
});

test('one broken part takes no other along', async () => {
  const folder = join(program.folder, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'wac.json'), '{"kind":"tabiya-suite-1","suites":[{"suite":"wac.epd","solved":{"value":0.5,"lower":0.4,"upper":0.6,"samples":10}}],"puzzles":[]}');
  writeFileSync(join(folder, 'odd.json'), '{"kind":"tabiya-suite-1","suites":[{"suite":"odd.epd"}],"puzzles":[{}]}');
  const page = await open('/results');
  await page.getByText('wac.epd 50.0 %').waitFor();
  await page.getByText('odd cannot be shown').waitFor();
  expectFaults();
  await page.route('**/api/v1/networks', (route) => route.fulfill({ json: [{ id: 'x' }, null] }));
  await page.goto(`${program.address}/networks`);
  await page.getByText(/cannot be shown|Something failed/).first().waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Play' }).click();
  await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
});

test('the form comes when the server comes, and captured pieces are the difference', async () => {
  const page = await open('/?fen=' + encodeURIComponent('8/P6k/8/8/8/8/7K/8 w - - 0 1'));
  await page.keyboard.down('Alt');
  await drag(page, 'a7', 'a8');
  await page.keyboard.up('Alt');
  await page.waitForURL(/\/play\/\d/);
  await becomes('one queen is ahead', () => page.locator('.captured piece').evaluateAll((all) => all.map((one) => one.className)), ['queen black']);
});

for (const viewport of SIZES) {
  const name = `${viewport.width}x${viewport.height}`;
  test(`the document has the board before any script, and nothing shifts: ${name}`, async () => {
    const page = await open('/', { viewport });
    const html = await (await page.request.get(`${program.address}/analyse?moves=e2e4`)).text();
    assert.equal(html.match(/<piece/g)?.length, 64);
    assert.equal(html.match(/<piece class/g)?.length, 32);
    assert.ok(!(await (await page.request.get(`${program.address}/runs`)).text()).includes('<piece'), 'a screen without a board has none');
    for (const address of ['/', '/analyse?moves=e2e4', '/networks', '/runs', '/results']) {
      await page.goto(program.address + address);
      await page.locator('h1').first().waitFor({ state: 'attached' });
      await page.waitForTimeout(500);
      const shifts = (await layoutShifts(page)).filter(({ afterInput }) => !afterInput);
      const shift = totalOf(shifts);
      assert.ok(shift < 0.02, `${address} shifts by ${shift} at ${name}: ${shifts.flatMap(({ moved }) => moved).join('; ')}`);
    }
  });
}

for (const viewport of SIZES) {
  const name = `${viewport.width}x${viewport.height}`;
  test(`a reviewed game in light and dark at ${name}: why a move was a mistake is in sight, nothing scrolls sideways`, async () => {
    const page = await open('/analyse', device(viewport));
    await reviewed(page, '[White "Anna"]\n[Black "Bert"]\n\n1. e4 e5 2. Qh5 Nc6 3. Qxh7 Rxh7 4. Nf3 *');
    for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight');
    await page.locator('.why-sentence:visible, .best-line:visible', { hasText: 'Qxh7 loses' }).first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { x, width } = await place(page, '.board-squares');
      assert.ok(x >= 0 && x + width <= viewport.width, 'the board is cut off');
      const wide = () => page.evaluate(() => ({ page: document.documentElement.scrollWidth, panel: [...document.querySelectorAll('.panel, .game-panel')].some((one) => one.scrollWidth > one.clientWidth) }));
      const found = await settled(page, 'the widths', wide);
      assert.ok(found.page <= viewport.width, 'the page scrolls sideways');
      assert.equal(found.panel, false, 'a panel scrolls sideways');
      await picture(page, `reviewed-${name}-${colorScheme}`);
    }
  });
}

test('without a script the board stands where it will stand', async () => {
  const page = await open('/', { viewport: { width: 1280, height: 800 } });
  const after = await place(page, '.board-squares');
  const context = await page.context().browser()?.newContext({ viewport: { width: 1280, height: 800 }, javaScriptEnabled: false });
  assert.ok(context);
  context.setDefaultTimeout(PATIENCE_MS);
  const still = await context.newPage();
  await still.goto(program.address);
  const before = await still.locator('.first-squares').boundingBox();
  await context.close();
  assert.deepEqual(before, after);
});

test('a phone: the board stays, the steps are above the links, the best line is under the board', async () => {
  const page = await open('/analyse', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await reviewed(page, '1. e4 e5 2. Qh5 Nc6 3. Qxh7 Rxh7 4. Nf3 *');
  const next = page.getByRole('button', { name: 'One move forward' });
  for (let step = 0; step < 5; step++) await next.tap();
  await page.locator('.best-line', { hasText: 'Rxh7' }).waitFor();
  await page.evaluate(() => scrollTo(0, 1000));
  const [board, dock, links] = [await place(page, '.board-squares'), await place(page, '.dock'), await place(page, '.bar-links')];
  assert.ok(board.y >= 0 && board.y + board.height < dock.y, 'the board is in sight');
  assert.ok(dock.y + dock.height <= links.y + 1 && links.y + links.height <= 845, 'the steps are above the links');
  await page.getByRole('button', { name: 'One move back' }).tap();
  await until('the board follows', async () => (await said(page, 'h5')).includes('white queen'));
});

for (const viewport of [{ width: 390, height: 844 }, { width: 820, height: 1180 }]) {
  test(`fingers: the engine's lines do not overlap and the steps are whole at ${viewport.width}x${viewport.height}`, async () => {
    const page = await open('/analyse', { viewport, hasTouch: true, isMobile: true });
    await networksKnown(page);
    const [begin, figures, dock, step] = [await place(page, '.engine-row .engine-switch'), await place(page, '.engine-figures'), await place(page, '.dock'), await place(page, '.dock .step-buttons button')];
    assert.ok(begin.y + begin.height <= figures.y, 'the button covers what the engine says');
    assert.ok(step.height >= 44 && step.y >= dock.y && step.y + step.height <= dock.y + dock.height, 'the steps are cut off');
  });
}

test('values in pawns, where somebody chose them', async () => {
  const page = await open('/analyse?nodes=100');
  await page.keyboard.press('l');
  await page.locator('.headline b', { hasText: '%' }).waitFor();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByText('Pawns', { exact: true }).click();
  await page.keyboard.press('Escape');
  await page.locator('.headline b', { hasText: /^≈[+-]?\d\.\d\d$/ }).waitFor();
  await page.getByRole('columnheader', { name: 'pawns' }).waitFor();
  const cells = page.locator('.move-table tbody tr > :nth-child(5)');
  await becomes('each value has room in its column', () => cells.evaluateAll((all) => all.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)), []);
  await page.reload();
  await page.locator('.headline b', { hasText: '≈' }).waitFor();
});

test('boards and piece sets are chosen by their looks and remembered', async () => {
  const page = await open('/');
  const looks = () =>
    page.evaluate(() => {
      const piece = document.querySelector('.board-pieces piece.knight.white');
      return { piece: piece ? getComputedStyle(piece).backgroundImage : '', board: getComputedStyle(document.documentElement).getPropertyValue('--square-dark').trim() };
    });
  await until('the pieces are there', async () => (await looks()).piece.startsWith('url'));
  const classic = await looks();
  await page.getByRole('button', { name: 'Settings' }).click();
  for (const [group, count] of [['Board', 8], ['Pieces', 6]] as const) await becomes(`all of ${group} are offered`, () => page.getByRole('group', { name: group, exact: true }).getByRole('radio').count(), count);
  await page.getByText('Walnut', { exact: true }).click();
  await page.getByText('Ivory', { exact: true }).click();
  await until('the pieces have changed', async () => (await looks()).piece !== classic.piece);
  await picture(page, 'settings');
  const chosen = await settled(page, 'the looks', looks);
  assert.notEqual(chosen.board, classic.board);
  await page.reload();
  await until('the choice is remembered', async () => JSON.stringify(await looks()) === JSON.stringify(chosen));
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByText('Classic', { exact: true }).click();
  await until('the classic pieces are back', async () => (await looks()).piece === classic.piece);
});
