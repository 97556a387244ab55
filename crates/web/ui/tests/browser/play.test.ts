/** A game: moves by mouse and by key, help, and its end. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Page } from 'playwright-core';
import { SIZES, arrived, becomes, centre, click, drag, game, picture, place, playing, resign, said, says, settled, stage, until, yourTurn } from './harness.ts';
import { layoutShifts, totalOf } from './layout-shift.ts';

const here = stage(['--net', 'material']);
const { open, expectFaults } = here;

/** Opens the field for moves with its key. Keys pressed before the field has the focus go elsewhere. */
async function openEntry(page: Page): Promise<void> {
  await page.keyboard.press('/');
  await page.locator('.move-entry input:focus').waitFor();
}

test('a dragged pawn starts a game and the engine answers', async () => {
  const page = await open('/');
  await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
  await drag(page, 'e2', 'e4');
  await page.waitForURL(/\/play\/\d/);
  const state = await yourTurn(page, 2);
  assert.equal(state.moves[0]?.san, 'e4');
  await page.getByRole('button', { name: 'e4', exact: true }).waitFor();
  const reply = state.moves[1]?.uci ?? '';
  await until('both squares of the last move are marked', async () => (await page.locator('square.last-move').count()) === 2);
  await says(page, reply.slice(2, 4), 'last move');
});

test('legal targets are dots, clicks move, and an illegal drop goes back', async () => {
  const page = await playing(here, {});
  await click(page, 'g1');
  await until('both targets are marked', async () => (await page.locator('square.move-dest').count()) === 2);
  await drag(page, 'e2', 'e5');
  assert.equal((await game(page)).moves.length, 0);
  await says(page, 'e2', 'white pawn');
  await click(page, 'g1');
  await click(page, 'f3');
  const state = await yourTurn(page, 2);
  assert.equal(state.moves[0]?.san, 'Nf3');
});

test('a whole game to mate with the mouse, and its PGN', async () => {
  // White mates with two rooks whatever Black does; the moves are looked up in the position.
  const page = await playing(here, { fen: '7k/8/8/8/8/8/R7/1R2K3 w - - 0 1', nodes: 1 });
  await drag(page, 'a2', 'a7');
  const state = await yourTurn(page, 2);
  assert.equal(state.moves[1]?.uci, 'h8g8', 'the seventh rank is closed');
  await drag(page, 'b1', 'b8');
  await page.getByText('Checkmate: White wins', { exact: true }).waitFor();
  assert.equal((await game(page)).end?.reason, 'checkmate');
  await page.getByRole('button', { name: 'Copy PGN' }).click();
  await page.getByText('PGN copied.').waitFor();
  const pgn = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(pgn, /\[Result "1-0"\]/);
  assert.match(pgn.replace(/\{[^}]*\}/g, ''), /1\. Ra7\s+(1\.\.\. )?Kg8\s+2\. Rb8#/);
  await picture(page, 'play-end');
  await page.getByRole('button', { name: 'Rematch' }).click();
  await page.waitForURL((url) => /\/play\/\d/.test(url.pathname));
});

test('promotion: Esc takes the pawn back, the mouse takes a knight, a key a rook', async () => {
  const fen = '8/P1P4k/8/8/8/8/8/K7 w - - 0 1';
  const page = await playing(here, { fen, nodes: 1 });
  await drag(page, 'a7', 'a8');
  await page.getByRole('dialog', { name: 'Promote to' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Promote to' }).waitFor({ state: 'detached' });
  await says(page, 'a7', 'white pawn');
  assert.equal((await game(page)).fen, fen);
  await drag(page, 'a7', 'a8');
  await page.getByRole('button', { name: 'knight' }).click();
  const first = await yourTurn(page, 2);
  assert.equal(first.moves[0]?.uci, 'a7a8n');
  await says(page, 'a8', 'white knight');
  await drag(page, 'c7', 'c8');
  await page.getByRole('dialog', { name: 'Promote to' }).waitFor();
  await page.keyboard.press('r');
  const second = await yourTurn(page, 4);
  assert.equal(second.moves[2]?.uci, 'c7c8r');
});

test('castling and en passant with the mouse', async () => {
  const page = await playing(here, { fen: 'k7/8/8/3pP3/8/8/8/4K2R w K d6 0 1', nodes: 1 });
  await drag(page, 'e5', 'd6');
  const taken = await yourTurn(page, 2);
  assert.equal(taken.moves[0]?.san, 'exd6');
  await says(page, 'd5', 'empty');
  await drag(page, 'e1', 'g1');
  const castled = await yourTurn(page, 4);
  assert.match(castled.moves[2]?.san ?? '', /^O-O/);
  await says(page, 'f1', 'white rook');
});

/** From now on, holds back what the server sends by itself, until the returned function is called. */
async function holdNews(page: Page): Promise<() => void> {
  let held: (() => void)[] | null = [];
  await page.routeWebSocket(/\/live$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const tell = () => socket.send(message);
      if (held) held.push(tell);
      else tell();
    });
  });
  await page.reload();
  await arrived(page);
  return () => {
    for (const tell of held?.splice(0) ?? []) tell();
    held = null;
  };
}

test('a premove waits for its turn; Esc cancels one without a trace', async () => {
  const page = await playing(here, { color: 'white', move_time_ms: 1000, nodes: undefined });
  // The page learns of the engine's move once both premoves have been made, however long they took.
  const release = await holdNews(page);
  await drag(page, 'e2', 'e4');
  await until('the engine has moved', async () => (await game(page)).moves.length === 2);
  await drag(page, 'd2', 'd4');
  await page.locator('square.current-premove:visible').first().waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await until('the premove is gone', async () => (await page.locator('square.current-premove:visible').count()) === 0);
  await drag(page, 'g1', 'f3');
  await page.locator('square.current-premove:visible').first().waitFor({ state: 'attached' });
  assert.equal((await game(page)).moves.length, 2, 'it waits');
  release();
  await until('the premove is played', async () => (await game(page)).moves.length >= 3);
  assert.equal((await game(page)).moves[2]?.san, 'Nf3');
});

test('take back, hint and flip', async () => {
  const page = await playing(here, {});
  await drag(page, 'e2', 'e4');
  await yourTurn(page, 2);
  await page.getByRole('button', { name: 'Take back' }).click();
  await until('both half-moves are gone', async () => (await game(page)).moves.length === 0);
  await page.getByText('with help').waitFor();
  await page.getByRole('button', { name: 'Hint' }).click();
  await until('the piece is marked', async () => (await page.locator('square.hint-square').count()) === 1);
  await page.getByRole('button', { name: 'Hint' }).click();
  await until('the move is marked', async () => (await page.locator('square.hint-square').count()) === 2);
  const before = await centre(page, 'a1');
  await page.keyboard.press('f');
  await page.locator('.board[data-orientation=black]').waitFor();
  const after = await centre(page, 'a1');
  assert.ok(after.x > before.x && after.y < before.y, 'a1 is now in the upper right corner');
  const pgn = await (await page.request.get(`/api/v1/games/${page.url().split('/').at(-1)}/pgn`)).text();
  assert.match(pgn, /\[Help "1 moves taken back, 1 hints"\]/);
});

test('the opening is named, the server says what it does, and a finished game is reviewed by itself', async () => {
  const page = await playing(here, {});
  await drag(page, 'e2', 'e4');
  await yourTurn(page, 2);
  await page.locator('.opening', { hasText: /^[A-E]\d\d / }).waitFor();
  await page.locator('.chip', { hasText: 'idle' }).click();
  await page.getByText('Idle.', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await openEntry(page);
  await page.keyboard.type('resign');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Result' }).getByText('Resignation: Black wins').waitFor();
  await page.getByText(/Accuracy: White \d+ %/).waitFor();
  // A line through equal positions is flat, a box without height, which does not count as visible.
  await page.locator('.graph').waitFor();
  const points = async () => (await page.locator('.graph polyline').getAttribute('points'))?.split(' ').length;
  await becomes('a point for each position of the game', points, 3);
  // The review of a game of one move is there behind the button without another request.
  await page.getByRole('link', { name: 'Review' }).click();
  await page.waitForURL(/\/analyse\/\d/);
  await becomes('its curve is drawn', points, 3);
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByText('Accuracy', { exact: true }).waitFor();
});

test('the mating move is in sight in the list when the result and the curve have taken their room', async () => {
  // Black's king cannot move; its pawns can, six times at least.
  const page = await playing(here, { fen: '7k/p1p2P1p/7P/8/8/8/P1P5/4R1K1 w - - 0 1', nodes: 1 });
  await page.setViewportSize({ width: 1280, height: 600 });
  await openEntry(page);
  for (const [index, move] of ['Kh1', 'Kg1', 'Kh1', 'Kg1', 'Kh1', 'Re8'].entries()) {
    await page.locator('.move-entry input').fill(move);
    await page.keyboard.press('Enter');
    await yourTurn(page, 2 * (index + 1));
  }
  await page.getByText('Checkmate: White wins', { exact: true }).waitFor();
  await page.getByText(/Accuracy: White \d+ %/).waitFor();
  const list = await place(page, '.move-list');
  const mate = await place(page, page.locator('.move-list button.move', { hasText: 'Re8#' }));
  assert.ok(mate.y >= list.y && mate.y + mate.height <= list.y + list.height, 'the mate is out of sight');
  assert.ok(mate.y + mate.height <= 600, 'the list is out of sight');
});

test('without the code of its curve a finished game has everything else, and says why', async () => {
  expectFaults();
  const page = await playing(here, {});
  await page.route(/\/assets\/game-curve-[^/]*\.js$/, (route) => route.abort());
  await drag(page, 'e2', 'e4');
  await yourTurn(page, 2);
  await resign(page);
  await page.getByText('The curve of the game could not be loaded').waitFor();
  const ended = new URL(page.url()).pathname;
  await page.getByRole('button', { name: 'Rematch' }).click();
  await page.waitForURL((url) => /\/play\/\d/.test(url.pathname) && url.pathname !== ended);
});

test('keys that the board does not use act while it has the focus', async () => {
  const page = await playing(here, {});
  await page.locator('[data-square=e2]').focus();
  await page.keyboard.press('/');
  const field = page.getByRole('textbox', { name: 'Move' });
  await field.waitFor();
  // The key once more, now as a part of the text.
  await page.keyboard.type('/e4');
  await page.keyboard.press('Enter');
  const state = await yourTurn(page, 2);
  assert.equal(state.moves[0]?.san, 'e4');
  await page.locator('[data-square=e4]').focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
});

test('resigning asks once; the keyboard alone can play', async () => {
  const page = await playing(here, {});
  await openEntry(page);
  await page.keyboard.type('Nf3');
  await page.keyboard.press('Enter');
  await yourTurn(page, 2);
  await page.locator('[data-square][tabindex="0"]').focus();
  await page.keyboard.press('Enter');
  await until('the pawn is picked', async () => (await said(page, 'e4')).includes('legal target'));
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  const state = await yourTurn(page, 4);
  assert.equal(state.moves[2]?.uci, 'e2e4');
  await resign(page);
  await page.getByRole('region', { name: 'Result' }).getByText('Resignation: Black wins').waitFor();
});

for (const viewport of SIZES.slice(0, 3)) {
  test(`the end of a game moves nothing: ${viewport.width}x${viewport.height}`, async () => {
    const page = await playing(here, {}, { viewport });
    await drag(page, 'e2', 'e4');
    await yourTurn(page, 2);
    const tops = () => page.locator('.board-note, .game-row .dock').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    const before = await settled(page, 'the steps', tops, (found) => found.length === 2);
    // Not by the page: after a click half a second of shifts would be excused.
    await page.request.post(`/api/v1/games/${new URL(page.url()).pathname.split('/')[2]}/resign`, { data: {} });
    await page.getByRole('region', { name: 'Result' }).getByText('Resignation: Black wins').waitFor();
    await page.getByText(/Accuracy: White \d+ %/).waitFor();
    const after = await settled(page, 'the steps', tops, (found) => found.length === 2);
    for (const [index, top] of after.entries()) assert.ok(Math.abs(top - (before[index] ?? 0)) < 4, `${before.join(' ')}, then ${after.join(' ')}`);
    const shifts = (await layoutShifts(page)).filter(({ afterInput }) => !afterInput);
    assert.ok(totalOf(shifts) < 0.02, `${totalOf(shifts)}: ${shifts.flatMap(({ moved }) => moved).join('; ')}`);
  });

  test(`what one can do stands beside the steps, and typing a move moves nothing: ${viewport.width}x${viewport.height}`, async () => {
    const page = await playing(here, {}, { viewport });
    const look = () =>
      page.locator('.game-row').evaluate((row) => ({
        asks: row.textContent?.includes('Resign?') ?? false,
        buttons: [...row.querySelectorAll('button')].filter((one) => one.checkVisibility()).map((one) => {
          const { x, y, width, height } = one.getBoundingClientRect();
          return { x, y, width, height };
        }),
      }));
    const places = async () => (await look()).buttons;
    const before = await settled(page, 'the buttons', places);
    assert.equal(before.length, 9, 'five steps, take back, hint, draw and resign');
    const middle = ({ y, height }: { y: number; height: number }) => y + height / 2;
    for (const place of before) assert.ok(Math.abs(middle(place) - middle(before[0] ?? place)) < 3, JSON.stringify(before));
    assert.equal(await page.locator('.move-entry').count(), 0);
    await openEntry(page);
    assert.deepEqual(await places(), before);
    await picture(page, `play-row-${viewport.width}`);
    await page.keyboard.press('Escape');
    await page.locator('.move-entry').waitFor({ state: 'detached' });
    const typing = page.getByRole('button', { name: 'Type a move' });
    await until('the focus is where typing begins again', () => typing.evaluate((one) => one === document.activeElement));
    await typing.click();
    await page.locator('.move-entry input:focus').waitFor();
    await page.keyboard.type('d4');
    await page.keyboard.press('Enter');
    assert.equal((await yourTurn(page, 2)).moves[0]?.san, 'd4');
    // The question stays for four seconds, so it is found and measured in one call.
    let asked: Awaited<ReturnType<typeof places>> = [];
    await until('the question is asked', async () => {
      await page.getByRole('button', { name: 'Resign' }).click({ timeout: 5000 }).catch(() => undefined);
      const { asks, buttons } = await look();
      asked = buttons;
      return asks;
    });
    assert.deepEqual(asked.slice(0, 5), before.slice(0, 5), 'the question takes no other place');
  });
}
