/** No result that was computed is lost, and every value is shown from one side. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Page } from 'playwright-core';
import { becomes, drag, paste, picture, place, settled, stage, until } from './harness.ts';

const { open, program } = stage(['--net', 'material']);

const MOVES = 'e2e4,e7e5,d1h5,b8c6,h5h7,h8h7,g1f3';
const GAME = '[White "Anna"]\n[Black "Bert"]\n\n1. e4 e5 2. Qh5 Nc6 3. Qxh7 Rxh7 4. Nf3 *';

async function review(page: Page, nodes = '100'): Promise<void> {
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByLabel('Nodes per position').selectOption(nodes);
  await page.getByRole('button', { name: 'Review the game' }).click();
  await page.getByText('Accuracy', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Moves' }).click();
}

/** Values in the list of moves. */
async function valued(page: Page): Promise<number> {
  return page.locator('.main-line .move-value').count();
}

async function untilCurve(page: Page): Promise<void> {
  await until('there is a curve', async () => (await page.locator('.graph polyline').count()) >= 1);
}

test('a review is there again after a reload, by a link, and after one more move', async () => {
  const page = await open('/analyse');
  await paste(page, GAME);
  await page.getByRole('button', { name: 'Qxh7' }).waitFor();
  await review(page);
  await page.locator('.notation button.move', { hasText: 'Qxh7??' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/ply=1/);
  await page.reload();
  await page.locator('.notation button.move', { hasText: 'Qxh7??' }).waitFor();
  await page.keyboard.press('End');
  await drag(page, 'g8', 'f6');
  await page.locator('.notation button.move', { hasText: 'Nf6' }).waitFor();
  await until('one more move takes nothing away', async () => (await valued(page)) >= 7);
  await untilCurve(page);
  // A link has the whole game, its players, and the position on the board; another visitor finds the same review.
  const link = await open(`/analyse?moves=${MOVES}&ply=4&white=Anna&black=Bert`);
  await link.getByText('Bert', { exact: true }).waitFor();
  await link.locator('.notation button.move', { hasText: 'Qxh7??' }).waitFor();
  await becomes('the whole game is there', () => link.locator('.notation button.move').count(), 7);
  await becomes('the move of the link is on the board', () => link.locator('.notation [aria-current]').textContent(), 'Nc6');
});

test('positions that the engine has seen keep their values: in the list, in the curve, in the table when one returns', async () => {
  const page = await open('/analyse?moves=e2e4,e7e5,g1f3,b8c6&nodes=300');
  await page.keyboard.press('l');
  for (const plies of [1, 2, 3]) {
    await page.getByText('done ·').waitFor();
    await until(`${plies} values are in the list`, async () => (await valued(page)) >= plies);
    await page.keyboard.press('ArrowLeft');
  }
  await page.keyboard.press('l');
  await untilCurve(page);
  await page.keyboard.press('ArrowRight');
  await page.getByText('seen before ·').waitFor();
  await page.locator('.move-table tbody tr').nth(3).waitFor();
  await page.reload();
  await until('the values outlive a reload', async () => (await valued(page)) >= 3);
});

test('with Black to move headline, table, bar and arrow say the same', async () => {
  // Black is a queen up: any mix-up of sides shows.
  const page = await open('/analyse?nodes=200&fen=' + encodeURIComponent('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1'));
  await page.keyboard.press('l');
  await page.getByText('done ·').waitFor();
  await page.keyboard.press('v');
  const shown = () =>
    page.evaluate(() => {
      const row = document.querySelector<HTMLElement>('.move-table tbody tr');
      const bar = row?.querySelector('.small-wdl');
      const number = (text: string | null | undefined) => Number(/-?[\d.]+/.exec(text ?? '')?.[0]);
      return {
        headline: number(document.querySelector('.headline b')?.textContent),
        row: number(row?.querySelector('td:nth-child(5)')?.textContent),
        arrow: number(document.querySelector(`.arrow-label.net-a[data-uci="${row?.dataset['uci']}"] text`)?.textContent),
        first: bar?.firstElementChild?.className,
        text: bar?.getAttribute('aria-label') ?? '',
      };
    });
  const white = await settled(page, "White's side", shown, ({ first }) => first === 'share-white');
  assert.ok(white.headline < 45 && white.row < 45 && Math.abs(white.arrow - white.row) <= 1, JSON.stringify(white));
  assert.match(white.text, /^White \d+ %, draw \d+ %, Black \d+ %$/);
  await page.keyboard.press('w');
  const black = await settled(page, "Black's side", shown, ({ first }) => first === 'share-black');
  assert.ok(black.headline > 55 && Math.abs(black.row + white.row - 100) < 0.2 && Math.abs(black.arrow - black.row) <= 1, JSON.stringify(black));
  await picture(page, 'black-to-move');
});

test('a mistake stays explained while the engine runs, and both its lines can be put on the board', async () => {
  const page = await open(`/analyse?moves=${MOVES}&ply=0`);
  await review(page, '200');
  for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight');
  await page.locator('.why-line', { hasText: 'Now' }).locator('button').first().click();
  await page.locator('.notation [aria-current]', { hasText: 'Rxh7' }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('l');
  await page.locator('.move-table tbody tr').first().waitFor();
  await page.locator('.why-sentence', { hasText: 'Qxh7 loses' }).waitFor();
  await page.locator('.arrow.better').waitFor({ state: 'attached' });
  const better = page.locator('.why-line', { hasText: 'Better' }).locator('button').first();
  await better.hover();
  await page.locator('.preview .mini-board').waitFor();
  await better.click();
  await page.locator('.variation').first().waitFor();
});

test('while one looks for a better move, neither marks nor the rest of the curve give it away', async () => {
  const page = await open(`/analyse?moves=${MOVES}&ply=0`);
  await review(page, '200');
  await until('the curve has marks', async () => (await page.locator('.graph-marks [data-judgement]').count()) >= 1);
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByRole('button', { name: /^Find better/ }).click();
  await page.getByText(/was played. Find better/).waitFor();
  await becomes('no mark is left', () => page.locator('.graph-marks [data-judgement]').count(), 0);
  await becomes('no count is left', () => page.getByText('Mean loss per move').count(), 0);
  // On a phone the row under the board has the review's line, which begins with the answer.
  await page.setViewportSize({ width: 390, height: 844 });
  await becomes('the row tells nothing', async () => (await page.locator('.best-line').innerText()).trim(), 'The best line appears here.');
});

test('an exercise whose answer is shown leaves the others', async () => {
  const page = await open(`/analyse?moves=${MOVES}&ply=0`);
  await review(page, '200');
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByRole('button', { name: /^Find better/ }).click();
  await page.getByText(/was played. Find better/).waitFor();
  await becomes('nothing was tried yet', () => page.getByRole('button', { name: 'Try again' }).count(), 0);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.locator('[data-verdict=shown]', { hasText: 'Best: ' }).waitFor();
  await becomes('the exercises go on', () => page.locator('.find-better').count(), 1);
  await becomes('it is not shown twice', () => page.getByRole('button', { name: 'Show', exact: true }).count(), 0);
  await page.locator('.find-better').getByRole('button', { name: /^(Next|Done)$/ }).click();
});

test('a move that is nearly as good as the best ends the exercise with the best one', async () => {
  const page = await open(`/analyse?moves=${MOVES}&ply=0`);
  await review(page, '200');
  const answer = await page.request.get(`/api/v1/reviews?moves=${MOVES}`);
  const { points } = (await answer.json()) as { points: { best: string | null; line: string[] }[] };
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByRole('button', { name: /^Find better/ }).click();
  await page.getByText(/was played. Find better/).waitFor();
  // Every attempt gets this judgement.
  await page.route('**/api/v1/reviews', (route) => route.fulfill({ json: { id: 'own', running: false, points: [{ loss: 1.2 }] } }));
  // The address is read in the page itself: the driver learns of a new address later.
  const point = points[Number(await page.evaluate(() => new URLSearchParams(location.search).get('ply')))];
  const other = point?.best === 'a2a3' ? 'h2h3' : 'a2a3';
  await drag(page, other.slice(0, 2), other.slice(2));
  await page.locator('[data-verdict=right]', { hasText: `is good: it loses at most 1.2 points. The best is ${point?.line[0]}.` }).waitFor();
});

for (const viewport of [{ width: 1440, height: 900 }, { width: 1280, height: 720 }, { width: 1920, height: 1080 }]) {
  test(`every move can be reached and lines are long at ${viewport.width}x${viewport.height}`, async () => {
    const page = await open('/analyse?nodes=3000', { viewport });
    await page.keyboard.press('l');
    await page.getByText('done ·').waitFor();
    const rows = page.locator('.move-table tbody tr');
    await page.getByRole('button', { name: 'all 20 moves' }).click();
    await until('all moves have a row', async () => (await rows.count()) === 20);
    await rows.nth(2).hover();
    await page.mouse.wheel(0, 2000);
    await until('the last row is in sight', () =>
      page.evaluate(() => {
        const [last, box] = [document.querySelector('.move-table tbody tr:last-child'), document.querySelector('.move-table-box')].map((one) => one?.getBoundingClientRect());
        return last !== undefined && box !== undefined && last.bottom <= box.bottom + 1;
      }),
    );
    const line = await place(page, '.move-table td.line');
    assert.ok(line.width >= 240, `${line.width} px for lines`);
    assert.ok((await place(page, '.graph svg')).height >= 94);
    assert.equal(await settled(page, 'the width', () => page.evaluate(() => document.documentElement.scrollWidth)), viewport.width);
  });
}

/** Half-moves of a line of usual length, without the first, which has a column of its own. */
const LINE = ['Nc6', '14.Bb5', 'a6', '15.Bxc6', 'dxc6', '16.O-O', 'Bd6', '17.Re1'];

for (const viewport of [{ width: 1440, height: 900 }, { width: 1280, height: 720 }, { width: 1920, height: 1080 }]) {
  test(`nine half-moves of a line have room at ${viewport.width}x${viewport.height}`, async () => {
    const page = await open('/analyse?nodes=100', { viewport });
    await page.keyboard.press('l');
    await page.getByText('done ·').waitFor();
    const isWhole = await page.locator('.line-moves').first().evaluate((cell, line) => {
      const buttons = [...cell.querySelectorAll('button.move')];
      const moves = line.map((san, index) => {
        const move = (buttons[index] ?? buttons[0]?.cloneNode()) as HTMLElement;
        move.textContent = san;
        return move;
      });
      cell.prepend(...moves);
      // A move without room goes below the line.
      return (moves.at(-1) as HTMLElement).getBoundingClientRect().bottom <= cell.getBoundingClientRect().bottom + 1;
    }, LINE);
    assert.ok(isWhole, 'the last half-move is not visible');
  });
}

for (const { width, height, under } of [{ width: 1920, height: 1080, under: true }, { width: 2560, height: 1440, under: true }, { width: 820, height: 1180, under: true }, { width: 1440, height: 900, under: false }]) {
  test(`the curve is ${under ? 'below the board, where it is wider' : 'beside the board'}: ${width}x${height}`, async () => {
    const page = await open(`/analyse?moves=${MOVES}`, { viewport: { width, height } });
    const places = () => page.evaluate(() => ['.graph svg', '.board-squares', '.search-panel'].map((one) => document.querySelector(one)?.getBoundingClientRect().toJSON() as DOMRect | undefined));
    const [curve, board, search] = await settled(page, 'the places', places);
    assert.ok(curve && board && search);
    assert.ok(curve.height >= 94 && curve.bottom <= height, `${curve.height} px, to ${curve.bottom}`);
    assert.equal(curve.top >= board.bottom, under);
    if (under) assert.ok(curve.width > search.width && curve.width >= 0.9 * board.width, `${curve.width} px`);
    assert.equal(await settled(page, 'the height', () => page.evaluate(() => document.documentElement.scrollHeight > innerHeight)), false);
  });
}

test('in a low window that is not wide the board is of use, and the page scrolls as one', async () => {
  const page = await open(`/analyse?moves=${MOVES}`, { viewport: { width: 1000, height: 640 } });
  const board = await place(page, '.board-squares');
  assert.ok(board.width >= 320, `${board.width} px`);
  await becomes('the moves do not scroll by themselves', () => page.locator('#game-tab').evaluate((one) => getComputedStyle(one).overflowY), 'visible');
});

test('faults are dots for the side at the bottom and rings for the other, the opening ends at a hairline, the value here is a flag', async () => {
  const page = await open(`/analyse?moves=${MOVES}&ply=5`);
  await review(page, '200');
  const before = await settled(page, 'the fault of White as a dot', () => page.locator('.graph-marks [data-judgement]:not([data-other])').count(), (dots) => dots >= 1);
  await page.keyboard.press('f');
  await page.locator('.graph-marks [data-judgement][data-other]').nth(before - 1).waitFor({ state: 'attached' });
  await page.locator('.graph-opening').waitFor({ state: 'attached' });
  const told = () => page.evaluate(() => [document.querySelector('.wdl-bar')?.getAttribute('aria-label') ?? '', document.querySelector('.graph-flag')?.textContent ?? ''] as const);
  const [shown, flag] = await settled(page, 'the value here', told, ([bar, text]) => bar !== '' && text !== '');
  const [win = 0, draw = 0] = (shown.match(/\d+/g) ?? []).map(Number);
  assert.ok(Math.abs(Number(flag) - win - draw / 2) <= 1, `${shown}: ${flag}`);
});

test('the curve of a review grows with each position, and the bar beside the board eases', async () => {
  // A game that no other test reviews, because otherwise its curve would be there at once; and a slow network, because
  // the server sends only the newest state, and counting pieces may end before there is a state in between.
  const page = await open('/analyse?moves=d2d4,d7d5,c2c4,e7e6,b1c3,g8f6,c1g5&ply=0&net=default');
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByLabel('Nodes per position').selectOption('400');
  // The numbers of positions in the states of the curve.
  const states = await page.evaluate(() => {
    const seen = new Set<number>();
    new MutationObserver(() => seen.add((document.querySelector('.graph polyline')?.getAttribute('points') ?? '').split(' ').length)).observe(document.querySelector('.graph svg') as Element, { childList: true, subtree: true, attributes: true });
    (globalThis as unknown as { seen: Set<number> }).seen = seen;
    return seen.size;
  });
  assert.equal(states, 0);
  await page.getByRole('button', { name: 'Review the game' }).click();
  await page.getByText('Accuracy', { exact: true }).waitFor();
  const lengths = await page.evaluate(() => [...(globalThis as unknown as { seen: Set<number> }).seen]);
  assert.ok(lengths.some((length) => length > 1 && length < 8), `lengths ${lengths.join(' ')}`);
  await becomes('the bar eases', () => page.locator('.wdl-bar span').first().evaluate((one) => getComputedStyle(one).transitionDuration), '0.2s');
});

test('the board gets smaller and larger by its corner, and the next visit has the same size at once', async () => {
  const page = await open('/analyse', { viewport: { width: 1440, height: 900 } });
  const width = async () => (await page.locator('.board-squares').boundingBox())?.width ?? 0;
  const before = (await place(page, '.board-squares')).width;
  const handle = page.getByRole('slider', { name: 'Size of the board' });
  const corner = await place(page, handle);
  await page.mouse.move(corner.x + 12, corner.y + 12);
  await page.mouse.down();
  await page.mouse.move(corner.x - 148, corner.y - 148, { steps: 4 });
  await page.mouse.up();
  const small = await settled(page, 'the smaller board', width, (found) => found < before);
  assert.ok(small <= before - 120 && small % 8 === 0, `${before} became ${small}`);
  await handle.press('ArrowRight');
  await becomes('the board is larger again', width, small + 8);
  await page.reload();
  await page.locator('h1').first().waitFor({ state: 'attached' });
  assert.equal((await place(page, '.board-squares')).width, small + 8);
  await page.getByRole('slider', { name: 'Size of the board' }).dblclick();
  await becomes('the board has all the room', width, before);
});

/** Anderssen against Kieseritzky, London 1851, before the mate. */
const IMMORTAL =
  'e2e4 e7e5 f2f4 e5f4 f1c4 d8h4 e1f1 b7b5 c4b5 g8f6 g1f3 h4h6 d2d3 f6h5 f3h4 h6g5 h4f5 c7c6 g2g4 h5f6 h1g1 c6b5 h2h4 g5g6 h4h5 g6g5 d1f3 f6g8 c1f4 g5f6 b1c3 f8c5 c3d5 f6b2 f4d6 c5g1 e4e5 b2a1 f1e2 b8a6 f5g7 e8d8 f3f6 g8f6'.split(' ');

/** Makes a game at this position, in the form in which the server keeps it, with White to move. */
async function keptGame(page: Page, moves: string[], fen?: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const begun = await page.request.post('/api/v1/games', { headers, data: { color: 'white', nodes: 1, network: 'material', ...(fen && { fen }) } });
  const { id } = (await begun.json()) as { id: string };
  if (moves.length === 0) return id;
  const folder = join(program.folder, 'games');
  const undo = await page.request.post(`/api/v1/games/${id}/moves`, { headers, data: { ply: 0, uci: 'e2e4' } });
  assert.ok(undo.ok());
  const record = JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8')) as Record<string, unknown>;
  const other = `${id}99`;
  const played = moves.map((uci) => ({ uci, elapsed_ms: 1, clock_ms: null, wdl: null }));
  writeFileSync(join(folder, `${other}.json`), JSON.stringify({ ...record, id: other, moves: played, end: null }));
  return other;
}

test('after a game of one move the button "Review" shows what was computed', async () => {
  const page = await open('/');
  const id = await keptGame(page, [], '7k/R7/8/8/8/8/8/1R2K3 w - - 0 1');
  await page.goto(`${program.address}/play/${id}`);
  // The opponent is named once the game has arrived; before, nothing can be moved.
  await page.locator('.opponent-note').waitFor();
  await drag(page, 'b1', 'b8');
  const end = page.getByRole('region', { name: 'Result' });
  await end.getByText('Checkmate').waitFor();
  await end.getByText(/Accuracy: White/).waitFor();
  await end.getByRole('link', { name: 'Review' }).click();
  await page.waitForURL(/\/analyse\//);
  await page.locator('.notation button.move', { hasText: 'Rb8#' }).waitFor();
  await until('the value of the move is in the list', async () => (await valued(page)) === 1);
  await untilCurve(page);
});

test('the mating move is in sight when the result comes', async () => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 1280, height: 720 }]) {
    const page = await open('/', { viewport });
    const id = await keptGame(page, IMMORTAL);
    await page.goto(`${program.address}/play/${id}`);
    await page.locator('.move-list button.move').nth(43).waitFor();
    await drag(page, 'd6', 'e7');
    const end = page.getByRole('region', { name: 'Result' });
    await end.getByText(/Accuracy: White/).waitFor();
    const mate = page.locator('.move-list button.move', { hasText: 'Be7#' });
    await until('the mating move is in sight', () =>
      mate.evaluate((button) => {
        const { top, bottom } = button.getBoundingClientRect();
        const list = (button.closest('.move-list') as HTMLElement).getBoundingClientRect();
        const shown = document.elementFromPoint((button.getBoundingClientRect().left + button.getBoundingClientRect().right) / 2, (top + bottom) / 2);
        return top >= list.top - 1 && bottom <= list.bottom + 1 && (shown === button || button.contains(shown));
      }),
    );
    await picture(page, `mated-${viewport.width}`);
  }
});
