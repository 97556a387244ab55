/** Faults that a reader found in the page, each with the test that prevents it. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessibilityFaults } from './accessibility.ts';
import type { Page } from 'playwright-core';
import { becomes, click, device, drag, networksKnown, paste, picture, place, resign, says, settled, stage, until, yourTurn } from './harness.ts';

const { open, program, expectFaults } = stage(['--net', 'material']);

/** Half-moves of a long game. */
const MOVES = 'e2e4,e7e5,g1f3,b8c6,f1c4,g8f6,d2d3,f8c5,c2c3,d7d6,e1g1,e8g8,f1e1,a7a6,c4b3,c5a7,h2h3,h7h6,b1d2,f8e8,d2f1,c8e6,f1g3,d6d5,e4d5,f6d5,g3e4,d8d7,c1d2,a8d8';

const BOARDS = ['slate', 'walnut', 'sage', 'contrast', 'sky', 'plum', 'sand', 'rose'];

/** Contrast of two colours as WCAG 2.2 defines it. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/\d+(\.\d+)?/g) ?? []).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

for (const theme of ['light', 'dark'] as const) {
  test(`every board in ${theme}: axe-core finds nothing, arrows stand out, their labels and the figures of the heat can be read`, async () => {
    const page = await open('/analyse?net=default&nodes=100', { colorScheme: theme, reducedMotion: 'reduce', bypassCSP: true });
    await page.keyboard.press('l');
    await page.getByText('done ·').waitFor();
    await page.keyboard.press('h');
    for (const drawn of ['.heat-chip', '.arrow-label', 'line.arrow.net-a']) await page.locator(drawn).first().waitFor({ state: 'attached' });
    for (const board of BOARDS) {
      // The same as a choice in the settings (board/look.ts).
      const seen = await page.evaluate((chosen) => {
        document.documentElement.dataset['board'] = chosen;
        const root = getComputedStyle(document.documentElement);
        const resolve = (colour: string) => {
          const probe = document.createElement('i');
          probe.style.color = colour;
          document.body.append(probe);
          const found = getComputedStyle(probe).color;
          probe.remove();
          return found;
        };
        const fill = (selector: string) => getComputedStyle(document.querySelector(selector) as Element).fill;
        return {
          squares: ['--square-light', '--square-dark'].map((name) => resolve(root.getPropertyValue(name))),
          shaft: getComputedStyle(document.querySelector('line.arrow.net-a') as Element).stroke,
          label: [fill('.arrow-label circle'), fill('.arrow-label text')] as const,
          heat: [fill('.heat-chip rect'), fill('.heat-chip text')] as const,
        };
      }, board);
      assert.ok(contrast(...seen.label) >= 4.5, `${board}: label ${contrast(...seen.label)}`);
      assert.ok(contrast(...seen.heat) >= 4.5, `${board}: heat ${contrast(...seen.heat)}`);
      assert.deepEqual(await accessibilityFaults(page), [], `${board} in ${theme}`);
      for (const square of seen.squares) assert.ok(contrast(seen.shaft, square) >= 2.3, `${board}: arrow on ${square} ${contrast(seen.shaft, square)}`);
    }
  });
}

for (const viewport of [{ width: 1440, height: 900 }, { width: 1280, height: 720 }]) {
  test(`with two networks no row of the table is cut, and the second is not one of people's: ${viewport.width}x${viewport.height}`, async () => {
    const page = await open('/analyse?nodes=400', { viewport });
    await page.keyboard.press('l');
    await page.keyboard.press('n');
    await until('both have searched', async () => (await page.locator('.move-table .second:not(:empty)').count()) > 3);
    assert.doesNotMatch(await page.getByLabel('Second network', { exact: true }).inputValue(), /^human/);
    await page.getByText('done ·').waitFor();
    const cut = () =>
      page.evaluate(() => {
        const bottom = (document.querySelector('.move-table-box') as HTMLElement).getBoundingClientRect().bottom;
        return [...document.querySelectorAll('.move-table tbody tr')].map((row) => row.getBoundingClientRect()).filter((row) => row.top < bottom - 1 && row.bottom > bottom + 1).length;
      });
    assert.equal(await settled(page, 'the rows', cut), 0);
    assert.ok((await place(page, '.move-table thead')).height < 22, 'the button for all moves makes the head no higher');
    // The progress of the second is beside the progress of the first.
    await page.locator('.engine-figures .second', { hasText: /B \d/ }).waitFor();
  });
}

/** Marks the elements of a list with what they show, to find them again. */
async function mark(page: Page, items: string): Promise<number> {
  return page.locator(items).evaluateAll((all) => {
    for (const one of all) (one as HTMLElement & { shown?: string | null }).shown = one.textContent;
    return all.length;
  });
}

/** The state of the marked elements: how many are still in the list, and which of them show something else now. */
async function marked(page: Page, items: string): Promise<{ kept: number; changed: string[] }> {
  return page.locator(items).evaluateAll((all) => {
    const known = all.filter((one) => 'shown' in one) as (HTMLElement & { shown: string })[];
    return { kept: known.length, changed: known.filter((one) => one.shown !== one.textContent).map((one) => `${one.shown} became ${one.textContent}`) };
  });
}

test('lists that change keep their elements, and the focus stays on what it was on', async () => {
  const page = await open('/analyse?moves=e2e4,e7e5,g1f3,b8c6,f1b5');
  // Moves: a variation before them and one more move at the end.
  const moves = '.main-line > .move-cell > button.move';
  await page.locator(moves).nth(4).waitFor();
  assert.equal(await mark(page, moves), 5);
  await page.locator(moves).nth(4).focus();
  await page.locator(moves).nth(4).press('Enter');
  await drag(page, 'a7', 'a6');
  await page.locator(moves, { hasText: 'a6' }).waitFor();
  await page.locator(moves).nth(1).click();
  await drag(page, 'f1', 'c4');
  await page.locator('.variation button.move', { hasText: 'Bc4' }).waitFor();
  assert.deepEqual(await marked(page, moves), { kept: 5, changed: [] });

  // Rows of the search change their order while it runs.
  await page.goto(`${program.address}/analyse?nodes=5000&moves=e2e4,e7e5,g1f3,b8c6,f1b5,a7a6`);
  // No keys are handled before there is a heading.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await page.keyboard.press('l');
  const names = '.move-table tbody th button.move';
  await page.locator(names).nth(3).waitFor();
  const before = await mark(page, names);
  await page.getByText('done ·').waitFor();
  const after = await marked(page, names);
  assert.deepEqual(after.changed, [], 'a row is of one move');
  assert.ok(before >= 4 && after.kept >= 1);

  // Runs: the newest comes first.
  const begin = (name: string) => {
    mkdirSync(join(program.folder, 'runs', name), { recursive: true });
    writeFileSync(join(program.folder, 'runs', name, 'log.jsonl'), '{"kind":"step","step":1,"policy_loss":2.0,"positions_per_second":1.0}\n');
  };
  for (const name of ['first', 'second']) begin(name);
  await page.goto(`${program.address}/runs`);
  const runs = '.runs-list li b';
  await page.locator(runs).nth(1).waitFor();
  assert.equal(await mark(page, runs), 2);
  const link = page.locator('.runs-list li a', { hasText: 'first' });
  await link.focus();
  begin('third');
  await page.locator(runs, { hasText: 'third' }).waitFor();
  assert.deepEqual(await marked(page, runs), { kept: 2, changed: [] });
  assert.ok(await link.evaluate((one) => one === document.activeElement), 'the focus stays on its run');
});

test('the seconds of both sides stand inside the list of moves', async () => {
  const page = await open('/');
  await click(page, 'e2');
  await click(page, 'e4');
  await page.waitForURL(/\/play\/\d/);
  await yourTurn(page, 2);
  const ends = () =>
    page.locator('.move-list').evaluate((list) => {
      const cell = list.querySelector('li .seconds:last-child') as HTMLElement;
      const range = document.createRange();
      range.selectNodeContents(cell);
      return [range.getBoundingClientRect().right, list.getBoundingClientRect().left + list.clientLeft + list.clientWidth];
    });
  const [end, edge] = await settled(page, 'the seconds', ends);
  assert.ok((end ?? 0) <= (edge ?? 0) - 4, `${end} of ${edge}`);
  assert.deepEqual(await page.locator('.move-head > span').allTextContents(), ['', 'White', 'Black', 's', 's'], 'every column has a head');
});

test('a move that is refused because another page plays goes back without a second message', async () => {
  expectFaults();
  const page = await open('/');
  await drag(page, 'e2', 'e4');
  await page.waitForURL(/\/play\/\d/);
  await yourTurn(page, 2);
  await page.route('**/api/v1/games/*/moves', (route) => route.fulfill({ status: 409, json: { code: 'other_page', message: 'another page plays this game; take it over to move here' } }));
  const refused = page.waitForResponse(/\/moves$/);
  await drag(page, 'd2', 'd4');
  await refused;
  await says(page, 'd2', 'white pawn');
  await says(page, 'd4', 'empty');
  assert.equal(await page.locator('.problem:not(:empty)').count(), 0);
});

test('a game of the page has names that fit beside a board', async () => {
  const page = await open('/');
  await drag(page, 'e2', 'e4');
  await page.waitForURL(/\/play\/\d/);
  await yourTurn(page, 2);
  const id = new URL(page.url()).pathname.split('/')[2];
  await page.goto(new URL(`/analyse/${id}`, page.url()).href);
  const name = page.locator('.player-name', { hasText: 'Tabiya' });
  await name.waitFor();
  assert.doesNotMatch((await name.textContent()) ?? '', /cpu|f32|int8/);
  assert.ok(await name.evaluate((one) => one.scrollWidth <= one.clientWidth), 'nothing is cut');
});

test('tree and replay offer to begin while nothing is searched, and a budget of one visit has no shares of visits', async () => {
  const page = await open('/analyse?nodes=1');
  await page.getByRole('tab', { name: 'Replay' }).click();
  await until('the replay can be recorded', () => page.getByRole('button', { name: 'Record the search' }).isEnabled());
  await page.getByRole('tab', { name: 'Tree' }).click();
  await page.getByRole('button', { name: 'Start the engine (l)' }).click();
  await page.locator('.move-table tbody tr').nth(3).waitFor();
  await page.getByText('done ·').waitFor();
  const shares = await page.locator('.move-table tbody tr td:nth-child(2)').allTextContents();
  assert.ok(shares.every((text) => text.trim() === ''), shares.join('|'));
});

test('what an address does not name is said in a sentence in the middle of the page', async () => {
  expectFaults();
  const page = await open('/analyse/nope');
  const said = page.getByText('There is no game nope.');
  await said.waitFor();
  assert.equal(await page.locator('.board').count(), 0, 'no board that is not the game');
  const box = await place(page, said);
  assert.ok(Math.abs(box.x + box.width / 2 - 640) < 40 && box.y > 100, JSON.stringify(box));
});

test('sounds are turned on beside the board', async () => {
  const page = await open('/');
  await drag(page, 'e2', 'e4');
  await page.waitForURL(/\/play\/\d/);
  const button = page.getByRole('button', { name: 'Sounds' });
  assert.equal(await button.getAttribute('aria-pressed'), 'false');
  await button.click();
  await page.getByRole('button', { name: 'Sounds', pressed: true }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sounds', pressed: true }).waitFor();
  await picture(page, 'sounds');
});

test('on a narrow phone the ratings below the levels do not touch what stands at their end', async () => {
  const page = await open('/networks', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  // Levels without a rating have none below them, and the levels of this program's network have no rating.
  const level = (name: string, elo: number | null) => ({ name, network: 'material', nodes: 1, temperature: 0, measurement: elo === null ? null : { elo, low: elo - 50, high: elo + 50, games: 400, conditions: 'test' } });
  await page.route('**/api/v1/levels', (route) => route.fulfill({ json: [level('First steps', 251), level('Club', 1400), level('Strong club', 2100), level('Full strength', null)] }));
  await page.goto(program.address);
  await page.locator('.level-strip').getByText('not measured').waitFor();
  const boxes = () =>
    page.locator('.level-strip text').evaluateAll((texts) =>
      texts.map((text) => text.getBoundingClientRect()).flatMap(({ left, right, width }) => (width > 0 ? { left, right } : [])),
    );
  const texts = await settled(page, 'the texts of the strip', boxes, (all) => all.length > 1);
  const touching = texts.some((one, index) => texts.slice(index + 1).some((other) => one.left < other.right && other.left < one.right));
  assert.equal(touching, false);
});

for (const [width, height] of [[1440, 900], [820, 1180], [390, 844], [360, 780]] as const) {
  test(`tables have every column in sight at ${width}x${height}: what people play, results of matches, networks`, async () => {
    const player = (name: string) => ({ name, pace: '300 nodes', specification: name });
    const report = {
      conditions: { players: [player('default'), player('material')], openings: 'balanced', machine: 'test' },
      games: { wins: 142, draws: 171, losses: 87 },
      elo: { score: 0.569, elo: 48.1, lower: 24, upper: 72.5, superiority: 0.99 },
    };
    mkdirSync(join(program.folder, 'results'), { recursive: true });
    writeFileSync(join(program.folder, 'results', 'wide.json'), JSON.stringify(report));
    const page = await open('/analyse?tab=human&moves=e2e4', { viewport: { width, height } });
    const sideways = (name: string) => settled(page, name, () => page.getByRole('region', { name, exact: true }).evaluate((box) => box.scrollWidth - box.clientWidth));
    await page.locator('.human-table tbody button.move').nth(3).waitFor();
    assert.ok((await sideways('What people play')) <= 0);
    await page.goto(`${program.address}/results`);
    await page.getByText('+48 (+24 to +73)').waitFor();
    assert.ok((await sideways('Matches')) <= 0);
    await picture(page, `results-${width}`);
    await page.goto(`${program.address}/networks`);
    await page.getByRole('link', { name: 'default', exact: true }).waitFor();
    assert.ok((await sideways('Networks')) <= 0);
  });
}

test('figures on the arrows of small boards can be read: nine pixels and more', async () => {
  const page = await open('/networks/compare?a=default&b=cnn', { viewport: { width: 1440, height: 900 } });
  await page.locator('.probes .arrow-label').nth(5).waitFor();
  const fonts = () => page.locator('.probes .arrow-label text').evaluateAll((texts) => texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize) * ((text as SVGTextElement).getScreenCTM()?.a ?? 0)));
  const heights = await settled(page, 'the figures', fonts, (all) => all.length > 5);
  assert.ok(Math.min(...heights) >= 9, `${Math.min(...heights)} px`);
});

test('every tab begins at its top, and the moves at the one on the board, wherever another was scrolled to', async () => {
  const page = await open(`/analyse?moves=${MOVES}`, { viewport: { width: 1280, height: 720 } });
  const scrolled = () => page.locator('#game-tab').evaluate((box) => box.scrollTop + (box.firstElementChild?.scrollTop ?? 0));
  await until('the last move is in sight', async () => (await scrolled()) > 40);
  // The second time, the table is there at once, and as long as the moves.
  for (const visit of [1, 2]) {
    await page.getByRole('tab', { name: 'Human' }).click();
    await page.locator('.human-table tbody button.move').nth(3).waitFor();
    assert.equal(await settled(page, 'the table', scrolled), 0, `visit ${visit}`);
    if (visit === 1) await page.getByRole('tab', { name: 'Moves' }).click();
  }
  await page.getByRole('tab', { name: 'Moves' }).click();
  await until('the last move is in sight again', async () => (await scrolled()) > 40);
});

test('a link has the ratings and the result of the game', async () => {
  const page = await open('/analyse');
  await paste(page, '[White "Anna"]\n[Black "Bert"]\n[WhiteElo "1510"]\n[BlackElo "1527"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1');
  await page.locator('.player-rating').nth(1).waitFor();
  await page.waitForURL(/whiteelo=1510.*score=0-1/);
  const link = await open(page.url().replace(program.address, ''));
  await until('both ratings are there', async () => (await link.locator('.player-rating').allTextContents()).join(' ') === '1527 1510');
  await becomes('both have their points', () => link.locator('.player-points').allTextContents(), ['1', '0']);
});

test('the heat names its kind without moving, and leaves room for the name of the network', async () => {
  const page = await open('/analyse?nodes=100', { viewport: { width: 1440, height: 900 } });
  const heat = page.getByRole('group', { name: 'On the board' }).getByRole('button', { name: 'Heat' });
  const places = [];
  await networksKnown(page);
  for (const kind of ['', 'to', 'from', 'worth']) {
    await becomes('the button names the heat', async () => [(await heat.innerText()).trim(), await heat.getAttribute('aria-label')], [kind || 'Heat', kind ? `Heat ${kind}` : 'Heat']);
    places.push(await place(page, heat));
    await heat.click();
  }
  for (const place of places) assert.deepEqual(place, places[0]);
});

/** Reviews a game and goes to its blunder. */
async function toBlunder(page: Page): Promise<void> {
  await paste(page, '1. e4 e5 2. Qh5 Nc6 3. Qxh7 Rxh7 4. Nf3 *');
  await page.locator('.notation button.move').first().waitFor();
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Review the game' }).click();
  await page.getByText('Accuracy', { exact: true }).waitFor();
  await page.keyboard.press('Home');
  for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight');
  await page.locator('.why-sentence', { hasText: 'Qxh7 loses' }).waitFor();
}

test('on a phone what stands under the board is not said again below it', async () => {
  const page = await open('/analyse?nodes=100', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await toBlunder(page);
  const row = async () => {
    await page.locator('.best-line', { hasText: /\d % *3\.\.\. Rxh7/ }).waitFor();
    return (await page.locator('.best-line').textContent()) ?? '';
  };
  // The review's line, then the engine's.
  assert.doesNotMatch(await row(), /loses/);
  await page.keyboard.press('l');
  await page.getByText('done ·').waitFor();
  assert.doesNotMatch(await row(), /loses/);
});

test('in the running text of a phone a move has its number on its line, and its value is nearer to it than to the next move', async () => {
  const page = await open('/analyse?nodes=100', device({ width: 360, height: 780 }));
  await toBlunder(page);
  await page.getByRole('tab', { name: 'Moves' }).click();
  await page.locator('.main-line > .move-cell .move-percent').nth(6).waitFor();
  const measured = () =>
    page.locator('.main-line > .move-cell').evaluateAll((all) =>
      all.map((cell) => {
        const text = document.createRange();
        text.selectNodeContents(cell.querySelector('button') as Element);
        const value = document.createRange();
        value.selectNodeContents(cell.querySelector('.move-percent') as Element);
        const [move, figure] = [text.getBoundingClientRect(), value.getBoundingClientRect()];
        return { number: getComputedStyle(cell, '::before').content, top: move.top, left: move.left, right: move.right, figure: { left: figure.left, right: figure.right } };
      }),
    );
  const cells = await settled(page, 'the moves', measured);
  assert.deepEqual(cells.map(({ number }) => number), ['"1."', 'none', '"2."', 'none', '"3."', 'none', '"4."']);
  assert.equal(await page.locator('.main-line > .move-number:visible').count(), 0);
  for (const [index, cell] of cells.slice(1).entries()) {
    const before = cells[index];
    if (before && before.top === cell.top) assert.ok(before.figure.left - before.right < cell.left - before.figure.right, JSON.stringify({ before, cell }));
  }
});

test('moves are running text on a desk as well, where the reader chose that, and again at the next visit', async () => {
  const page = await open(`/analyse?moves=${MOVES}`, { viewport: { width: 1440, height: 900 } });
  const lines = () => page.locator('.main-line > .move-cell').evaluateAll((all) => new Set(all.map((one) => Math.round(one.getBoundingClientRect().top))).size);
  await until('two columns are there', async () => (await lines()) === 15);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByText('Running text', { exact: true }).click();
  await page.keyboard.press('Escape');
  await until('the moves are text', async () => (await lines()) < 8);
  await page.reload();
  await until('they still are', async () => (await page.locator('.main-line.running').count()) === 1 && (await lines()) < 8);
  await picture(page, 'running-text');
});

for (const viewport of [{ width: 360, height: 780 }, { width: 390, height: 844 }, { width: 768, height: 1024 }, { width: 1280, height: 720 }]) {
  test(`why a move was a mistake is told in 16 px and whole, with the better move, at ${viewport.width}x${viewport.height}`, async () => {
    const page = await open('/analyse', device(viewport));
    await toBlunder(page);
    const measured = () =>
      page.locator('.why-sentence').evaluate((one) => {
        const line = one.getBoundingClientRect();
        const parts = [...one.querySelectorAll(':scope > span')].map((part) => part.getBoundingClientRect()).filter((part) => part.top < line.bottom);
        return { size: getComputedStyle(one).fontSize, parts: parts.length, cut: parts.some((part) => part.right > line.right || part.bottom > line.bottom + 1) };
      });
    const told = await settled(page, 'the sentence', measured);
    assert.deepEqual({ size: told.size, cut: told.cut }, { size: '16px', cut: false });
    const [, best = '?'] = /best was (\S+)/.exec((await page.locator('.why-sentence').textContent()) ?? '') ?? [];
    assert.ok(told.parts === 2 || (await page.locator('.explained .why-line').innerText()).includes(best), `${best} is told in the sentence or in the line below it`);
    const heights = await page.locator('.why-line button.move:visible').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    assert.ok(heights.every((height) => height >= 24), `moves of the lines are ${heights.join(' ')} px high`);
    await picture(page, `mistake-${viewport.width}`);
  });
}

for (const viewport of [{ width: 360, height: 780 }, { width: 390, height: 844 }]) {
  test(`the speed of the search is whole at ${viewport.width}x${viewport.height}, however many digits it has`, async () => {
    const page = await open('/analyse?nodes=100', device(viewport));
    await page.keyboard.press('l');
    await page.getByText('done ·').waitFor();
    const { line, parts } = await page.locator('.engine-figures').evaluate((one) => {
      // The widest texts on a machine of any speed.
      for (const [selector, text] of [['.engine-count', '88.8k'], ['.engine-speed', '· 88.8k/s'], ['.budget-value', '300,000']] as const) {
        (document.querySelector(selector) as HTMLElement).textContent = text;
      }
      const box = ({ left, right, top, bottom }: DOMRect) => ({ left, right, top, bottom });
      const budget = document.querySelector('.budget') as HTMLElement;
      return {
        line: { ...box(one.getBoundingClientRect()), right: budget.getBoundingClientRect().left },
        parts: [...one.querySelectorAll('.engine-parts > *')].map((part) => ({ name: part.className, ...box(part.getBoundingClientRect()) })).filter((part) => part.right > part.left),
      };
    });
    const inSight = parts.filter((part) => part.top < line.bottom);
    assert.ok(inSight.some(({ name }) => name === 'engine-speed'), JSON.stringify({ line, parts }));
    assert.ok(inSight.every((part) => part.right <= line.right && part.bottom <= line.bottom + 1), 'no part is cut');
  });
}

test('an analysis without a free place says which searches hold them, and begins when one ends', async () => {
  const page = await open('/analyse?net=material&net2=uniform&nodes=none');
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  await page.locator('.engine-figures .second').waitFor();
  const other = await open('/analyse?net=material&net2=material&nodes=none');
  await other.getByRole('button', { name: 'Analyse', exact: true }).click();
  await other.locator('.engine-figures .second').waitFor();
  const third = await open('/analyse?net=material');
  // The page knows about the four searches before it asks for a fifth.
  await third.getByText('searching (4)').waitFor();
  await third.getByRole('button', { name: 'Analyse', exact: true }).click();
  // Nothing changes while they run, so the page gets what was already known.
  const told = third.getByText('waiting for 4 searches with material, uniform');
  await told.waitFor();
  assert.ok(await told.evaluate((one) => one.getBoundingClientRect().right <= (one.parentElement?.getBoundingClientRect().right ?? 0)), 'it is not cut');
  await picture(third, 'waiting');
  await other.getByRole('button', { name: 'Pause' }).click();
  await third.locator('.engine-speed').waitFor();
});

test('a hint goes with the game, and heads of reviews stand over their figures', async () => {
  const page = await open('/');
  await drag(page, 'e2', 'e4');
  await page.waitForURL(/\/play\/\d/);
  await yourTurn(page, 2);
  await page.getByRole('button', { name: 'Hint' }).click();
  await page.locator('.hint-square').waitFor({ state: 'attached' });
  await resign(page);
  await page.getByLabel('Result').getByText('Resignation: Black wins').waitFor();
  await until('the board has no hint', async () => (await page.locator('.hint-square:visible').count()) === 0);
  await becomes('no word of the hint is left', () => page.locator('.game-panel, .panel').getByText(/^Hint: the/).count(), 0);
  await page.getByRole('button', { name: 'Review', exact: true }).or(page.getByRole('link', { name: 'Review', exact: true })).first().click();
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByText('Accuracy', { exact: true }).waitFor();
  const ends = () => page.locator('.review-table').first().locator('tr').evaluateAll((rows) => rows.slice(0, 2).map((row) => {
    const range = document.createRange();
    range.selectNodeContents(row.lastElementChild as Element);
    return range.getBoundingClientRect().right;
  }));
  const rights = await settled(page, 'the first rows', ends, (found) => found.length === 2);
  assert.ok(Math.abs((rights[0] ?? 0) - (rights[1] ?? 0)) < 1, rights.join(' '));
  // The network has the same name as everywhere else.
  await page.locator('.review .note', { hasText: /^material, / }).waitFor();
});
