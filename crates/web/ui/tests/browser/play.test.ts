import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Page } from 'playwright-core';
import { SIZES, becomes, centre, click, drag, game, picture, place, resign, said, says, settled, stage, until, yourTurn } from './harness.ts';
import { layoutShifts, totalOf } from './layout-shift.ts';

const { program, open, expectFaults } = stage(['--net', 'material']);

/** A game with its own settings, opened in a page. */
async function playing(wish: Record<string, unknown>, options = {}): Promise<Page> {
  const page = await open('/', options);
  const answer = await page.request.post('/api/v1/games', { data: { nodes: 20, seed: 1, ...wish } });
  assert.equal(answer.status(), 201, await answer.text());
  const { id } = (await answer.json()) as { id: string };
  await page.goto(`${program.address}/play/${id}`);
  await arrived(page);
  return page;
}

/** The opponent is named once the game has arrived; before, nothing can be moved. */
async function arrived(page: Page): Promise<void> {
  await page.locator('.opponent-note').waitFor();
}

/** Opens the field for moves with its key. Keys pressed before the field has the focus go elsewhere. */
async function openEntry(page: Page): Promise<void> {
  await page.keyboard.press('/');
  await page.locator('.move-entry input:focus').waitFor();
}

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
  const page = await playing({});
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
  const page = await playing({ fen: '7k/8/8/8/8/8/R7/1R2K3 w - - 0 1', nodes: 1 });
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
  const page = await playing({ fen, nodes: 1 });
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
  const page = await playing({ fen: 'k7/8/8/3pP3/8/8/8/4K2R w K d6 0 1', nodes: 1 });
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
  const page = await playing({ color: 'white', move_time_ms: 1000, nodes: undefined });
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
  const page = await playing({});
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

test('a reload and a second tab show the same game, and keys walk through it', async () => {
  const page = await playing({ clock: { initial_ms: 180_000, increment_ms: 2000 } });
  await drag(page, 'd2', 'd4');
  const state = await yourTurn(page, 2);
  await page.reload();
  await page.getByRole('button', { name: 'd4', exact: true }).waitFor();
  await says(page, 'd4', 'white pawn');
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByRole('button', { name: 'd4', exact: true }).waitFor();
  await second.getByText('Another tab is playing this game').waitFor();
  await becomes('both clocks are there', () => second.locator('.clock').count(), 2);
  await page.bringToFront();
  await drag(page, 'c2', 'c4');
  await second.bringToFront();
  await second.getByRole('button', { name: 'c4', exact: true }).waitFor();
  await yourTurn(page, state.moves.length + 2);
  await page.bringToFront();
  await page.keyboard.press('Home');
  await page.getByText('Viewing move 0').waitFor();
  await says(page, 'd2', 'white pawn');
  await page.waitForURL(/#0$/);
  await page.keyboard.press('ArrowRight');
  await says(page, 'd4', 'white pawn');
  await page.keyboard.press('End');
  await says(page, 'c4', 'white pawn');
  await picture(page, 'play-game');
});

test('a second tab looks on until it takes the game over', async () => {
  const page = await playing({});
  await drag(page, 'e2', 'e4');
  await yourTurn(page, 2);
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByText('Another tab is playing this game').waitFor();
  await drag(second, 'd2', 'd4');
  assert.equal((await game(page)).moves.length, 2, 'nothing moves in a tab that looks on');
  await second.getByRole('button', { name: 'Take over here' }).click();
  await second.getByText('Another tab is playing this game').waitFor({ state: 'detached' });
  await page.bringToFront();
  await page.getByText('Another tab is playing this game').waitFor();
  await second.bringToFront();
  await drag(second, 'd2', 'd4');
  const state = await yourTurn(second, 4);
  assert.equal(state.moves[2]?.san, 'd4');
});

test('the opening is named, the server says what it does, and a finished game is reviewed by itself', async () => {
  const page = await playing({});
  await drag(page, 'e2', 'e4');
  await yourTurn(page, 2);
  await page.locator('.opening', { hasText: /^[A-E]\d\d / }).waitFor();
  await page.locator('.chip', { hasText: 'idle' }).click();
  await page.getByText('Nothing; it is waiting for you.').waitFor();
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
  const page = await playing({ fen: '7k/p1p2P1p/7P/8/8/8/P1P5/4R1K1 w - - 0 1', nodes: 1 });
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

test('the server dies and comes back: the move made meanwhile is played once', async () => {
  expectFaults();
  const page = await playing({});
  await drag(page, 'e2', 'e4');
  await yourTurn(page, 2);
  const { port } = program;
  await program.kill();
  await page.getByText(/^reconnecting \d/).waitFor();
  await page.keyboard.press('Home');
  await says(page, 'e2', 'white pawn');
  await page.keyboard.press('End');
  await says(page, 'e4', 'white pawn');
  await drag(page, 'g1', 'f3');
  await program.start(port);
  await page.locator('.chip[data-state=open]').waitFor();
  const state = await yourTurn(page, 4);
  assert.deepEqual(
    state.moves.filter((move) => move.uci === 'g1f3').length,
    1,
  );
});

test('after a restart of the server the tab that has a move waiting plays on, not the one that looked on', async () => {
  expectFaults();
  const page = await playing({});
  await drag(page, 'e2', 'e4');
  await yourTurn(page, 2);
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByText('Another tab is playing this game').waitFor();
  const { port } = program;
  await program.kill();
  await page.bringToFront();
  await page.getByText(/^reconnecting \d/).waitFor();
  await drag(page, 'g1', 'f3');
  await program.start(port);
  const state = await yourTurn(page, 4);
  assert.equal(state.moves[2]?.uci, 'g1f3');
  await becomes('the seat is kept', () => page.getByText('Another tab is playing this game').count(), 0);
});

test('keys that the board does not use act while it has the focus', async () => {
  const page = await playing({});
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
  const page = await playing({});
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
  test(`what one can do stands beside the steps, and typing a move moves nothing: ${viewport.width}x${viewport.height}`, async () => {
    const page = await playing({}, { viewport });
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

test('a game that does not exist is named', async () => {
  expectFaults();
  const page = await open('/play/1-1');
  await page.getByText('There is no game 1-1.').waitFor();
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
