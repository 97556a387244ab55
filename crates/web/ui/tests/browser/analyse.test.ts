import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Page, type Route } from 'playwright-core';
import { answered, becomes, drag, fromMenu, matches, picture, place, said, says, stage, until, withoutEnd } from './harness.ts';

const { open, program } = stage(['--net', 'material']);

/** The root's visits as the page shows them. */
async function nodes(page: Page): Promise<number> {
  return Number(await page.locator('.engine-figures').getAttribute('data-nodes'));
}

async function importText(page: Page, text: string): Promise<void> {
  await fromMenu(page, 'Import');
  await page.getByLabel('PGN, a FEN').fill(text);
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
}

test('a mate is found, said and proven, and the search stops by itself', async () => {
  const page = await open('/analyse?fen=' + encodeURIComponent('7k/8/8/8/8/8/R7/1R2K3 w - - 0 1'));
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  await page.getByText('solved').waitFor();
  await page.locator('.headline b', { hasText: 'mate in 2' }).waitFor();
  await page.locator('.wdl-bar[aria-label="White 100 %, draw 0 %, Black 0 %"]').waitFor();
  await matches('the best move mates', () => page.locator('.move-table tbody tr').first().textContent(), /#2/);
});

test('nodes rise, a pause freezes them, and a move keeps its part of the tree', async () => {
  const page = await open('/analyse');
  await withoutEnd(page);
  await page.keyboard.press('l');
  await until('the search has begun', async () => (await nodes(page)) > 500);
  const early = await nodes(page);
  await until('nodes rise', async () => (await nodes(page)) > early);
  await page.keyboard.press('l');
  await page.getByText('paused').waitFor();
  const frozen = await nodes(page);
  await page.waitForTimeout(300);
  assert.equal(await nodes(page), frozen);
  await page.keyboard.press('l');
  const best = await page.locator('.move-table tbody tr').first().getAttribute('data-uci');
  assert.ok(best);
  await until('it goes on', async () => (await nodes(page)) > frozen);
  await drag(page, best.slice(0, 2), best.slice(2, 4));
  await page.waitForURL(new RegExp(`moves=${best}`));
  await page.getByText(/kept \d/).waitFor();
});

test('a spent budget offers to search on, ten times as far', async () => {
  const page = await open('/analyse?nodes=100');
  await page.keyboard.press('l');
  await page.getByText('done ·').waitFor();
  await page.getByRole('button', { name: '×10' }).click();
  await until('the search goes on', async () => (await nodes(page)) >= 1000);
  await page.waitForURL(/nodes=1000(&|$)/);
});

test('a row under the pointer shows its arrow alone, and its line becomes a variation', async () => {
  const page = await open('/analyse');
  await withoutEnd(page);
  await page.keyboard.press('l');
  await until('there are arrows', async () => (await page.locator('.arrow.net-a').count()) >= 2);
  await page.keyboard.press('l');
  await page.getByText('paused').waitFor();
  const row = page.locator('.move-table tbody tr').nth(1);
  const uci = await row.getAttribute('data-uci');
  await row.hover();
  const ucis = (selector: string) => page.locator(selector).evaluateAll((all) => all.map((one) => one.getAttribute('data-uci')));
  await becomes('its arrow alone is left', () => ucis('.arrow.net-a'), [uci]);
  assert.equal((await ucis('.move-table tbody tr'))[1], uci, 'the row keeps its place');
  await row.locator('td.line button').first().click();
  await until('two moves are on the board', async () => (await page.locator('.notation button.move').count()) === 2);
});

test('two networks: two sets of arrows, pairs of figures, and how far they are apart', async () => {
  const page = await open('/analyse');
  await page.keyboard.press('n');
  await page.getByLabel('Second network', { exact: true }).selectOption('uniform');
  await page.keyboard.press('l');
  await until('both draw', async () => (await page.locator('.arrow.net-a').count()) > 0 && (await page.locator('.arrow.net-b').count()) > 0);
  await matches('the distance is explained', () => page.getByText(/KL \d/).getAttribute('title'), /^KL divergence/);
  await until('there are pairs of figures', async () => (await page.locator('.move-table .second:not(:empty)').count()) > 3);
  const colours = () =>
    page.evaluate(() =>
      ['net-a', 'net-b'].map((kind) => {
        const arrow = document.querySelector(`line.arrow.${kind}`);
        return arrow && getComputedStyle(arrow).stroke;
      }),
    );
  await becomes('the arrows have their colours', colours, ['rgb(10, 90, 156)', 'rgb(154, 61, 0)']);
  await picture(page, 'analyse-two');
  await page.getByRole('button', { name: 'Remove the second network' }).click();
  await until('one is left', async () => (await page.locator('.arrow.net-b').count()) === 0);
  await becomes('no figure of it is left', () => page.locator('.move-table .second').count(), 0);
});

const GAME = `[Event "Test"]
[White "Anna"]
[Black "Bert"]
[Result "1-0"]

{ Before } 1. e4 e5 2. Nf3 (2. Bc4 Nf6 (2... Bc5 3. Qh5) 3. d3 { quiet }) 2... Nc6 3. Bb5 $6 a6 1-0
`;

test('a PGN with nested variations, comments and glyphs comes in and goes out', async () => {
  const page = await open('/analyse');
  await importText(page, GAME);
  await page.getByRole('button', { name: 'Bb5?!' }).waitFor();
  await becomes('both variations are there', () => page.locator('.variation').count(), 2);
  await page.getByText('quiet').waitFor();
  await page.getByText('Bert', { exact: true }).waitFor();
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
  await says(page, 'f3', 'white knight');
  await page.keyboard.press('ArrowDown');
  await says(page, 'c4', 'white bishop');
  await answered(page, 'Copy PGN', 'PGN copied.');
  const written = await page.evaluate(() => navigator.clipboard.readText());
  const normal = (text: string) => text.slice(text.indexOf('{')).replace(/\s+/g, ' ').replace(/\( /g, '(').replace(/ \)/g, ')').replace(/(\$\d+) \d+\.\.\./g, '$1').trim();
  assert.equal(normal(written), normal(GAME));
  await page.reload();
  await page.getByRole('button', { name: 'Bb5?!' }).waitFor();
  await says(page, 'c4', 'white bishop');
});

test('a broken PGN names line and column, and what was good is kept', async () => {
  const page = await open('/analyse');
  await importText(page, '[White "A"]\n\n1. e4 e5\n2. Nxz4 Nc6 *\n');
  await page.locator('.problem', { hasText: 'line 4' }).or(page.locator('.import-list')).first().waitFor();
  await importTextAgain(page, '1. e4 e5\n2. Nf6 Nc6 *\n');
  await page.getByText('Game 1, line 2, column 4: found "Nf6"').waitFor();
  await page.locator('.import-list button').click();
  await until('the good moves are there', async () => (await page.locator('.notation button.move').count()) === 2);
});

async function importTextAgain(page: Page, text: string): Promise<void> {
  await page.getByLabel('PGN, a FEN').fill(text);
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
}

test('a game is reviewed: graph, counts, and the way to the blunder', async () => {
  const page = await open('/analyse');
  await importText(page, '1. e4 e5 2. Qh5 Nc6 3. Qxh7 Rxh7 4. Nf3 *');
  await page.getByRole('button', { name: 'Qxh7' }).waitFor();
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByLabel('Nodes per position').selectOption('200');
  await page.getByRole('button', { name: 'Review the game' }).click();
  await page.getByText('Accuracy', { exact: true }).waitFor();
  await page.locator('.graph polyline').waitFor();
  // The key goes from fault to fault, and the engine may find another one before the blunder.
  await until('the blunder is shown', async () => {
    await page.keyboard.press('b');
    return (await said(page, 'h7')).includes('white queen');
  });
  await picture(page, 'analyse-review');
  const moments = page.getByRole('region', { name: 'The moments that decided' });
  await page.keyboard.press('Home');
  await moments.getByRole('button', { name: /^3\. Qxh7 loses \d+/ }).click();
  await until('a moment is a click from the board', async () => (await said(page, 'h7')).includes('white queen'));
});

test('heat, threat and flip change what is drawn', async () => {
  const page = await open('/analyse?net=default');
  await page.keyboard.press('l');
  await until('there are arrows', async () => (await page.locator('.arrow.net-a').count()) > 0);
  await page.keyboard.press('h');
  await page.locator('square.heat').first().waitFor({ state: 'attached' });
  await page.keyboard.press('x');
  await page.locator('.arrow.threat').waitFor({ state: 'attached' });
  await page.keyboard.press('a');
  await until('no arrow is left', async () => (await page.locator('.arrow').count()) === 0);
  await page.keyboard.press('h');
  await page.getByRole('button', { name: 'Heat from' }).waitFor();
  await page.locator('square.heat').first().waitFor({ state: 'attached' });
  await page.keyboard.press('h');
  await page.getByRole('button', { name: 'Heat worth' }).waitFor();
  await page.keyboard.press('h');
  await until('no heat is left', async () => (await page.locator('square.heat:visible').count()) === 0);
  await page.keyboard.press('f');
  await page.locator('.board[data-orientation=black]').waitFor();
});

test('sixty states a second are drawn in place, without growing the page', async () => {
  const page = await open('/analyse');
  await withoutEnd(page);
  await page.keyboard.press('l');
  // By then, rows and lines have reached their full length.
  await until('the search is well under way', async () => (await nodes(page)) > 20_000);
  await page.waitForTimeout(500);
  const count = () => page.evaluate(() => document.getElementsByTagName('*').length);
  const before = await count();
  await page.waitForTimeout(3000);
  const after = await count();
  assert.ok(Math.abs(after - before) < 150, `${before} elements became ${after}`);
});

test('a position is set up in the editor; an illegal one says why', async () => {
  const page = await open('/analyse');
  await fromMenu(page, 'Editor');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('The position is not legal').waitFor();
  const board = page.locator('.editor-board');
  const put = async (piece: string, column: number, row: number) => {
    await page.getByRole('button', { name: piece, exact: true }).click();
    const box = await place(page, board);
    await page.mouse.click(box.x + ((column + 0.5) * box.width) / 8, box.y + ((row + 0.5) * box.height) / 8);
  };
  await put('white king', 4, 7);
  await put('black king', 4, 0);
  await put('white queen', 0, 3);
  await page.getByRole('button', { name: 'Use this position' }).click();
  await until('the board shows it', async () => (await said(page, 'a5')).includes('white queen'));
  await page.waitForURL(/fen=4k3/);
});

test('the editor has counters, a capture in passing, a field for the FEN and a board that turns', async () => {
  const page = await open('/analyse?moves=e2e4,g8f6,e4e5,d7d5');
  await fromMenu(page, 'Editor');
  const dialog = page.getByRole('dialog', { name: 'Board editor' });
  const fen = dialog.getByLabel('FEN');
  await becomes('the position on the board', () => fen.inputValue(), 'rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3');
  await dialog.getByLabel('En passant').selectOption('-');
  await dialog.getByLabel('Move', { exact: true }).fill('12');
  await dialog.getByLabel('Half-moves').fill('7');
  await dialog.getByLabel('Half-moves').press('Tab');
  await becomes('each field is in the FEN', () => fen.inputValue(), 'rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq - 7 12');
  await fen.fill('4k3/8/8/8/8/8/8/4K3 w K - 0 1');
  await dialog.getByText('castling rights for which king and rook are there').waitFor();
  await becomes('such a position cannot be used', () => dialog.getByRole('button', { name: 'Use this position' }).isDisabled(), true);
  await fen.fill('4k3/8/8/8/8/8/8/R3K3 w Q - 0 1');
  await until('the board follows', async () => (await dialog.locator('.editor-board cg-board piece').count()) === 3);
  await dialog.getByRole('button', { name: 'Flip' }).click();
  await until('the board is turned', async () => (await dialog.locator('.editor-board .orientation-black').count()) === 1);
  await dialog.getByRole('button', { name: 'Use this position' }).click();
  await page.waitForURL(/fen=4k3.*R3K3\+w\+Q|fen=4k3.*R3K3%20w%20Q/);
});

test('a comment of several lines and a glyph are kept with a button', async () => {
  const page = await open('/analyse?moves=e2e4');
  await fromMenu(page, 'Comment and glyph of e4');
  const dialog = page.getByRole('dialog', { name: 'Comment on e4' });
  await dialog.getByLabel('Glyph').selectOption({ label: '! good' });
  await dialog.getByLabel('Comment').fill('Best by test.\nFischer said so.');
  await dialog.getByRole('button', { name: 'Keep' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Best by test.').waitFor();
  await fromMenu(page, 'Comment and glyph of e4');
  await becomes('both are there again', async () => [await dialog.getByLabel('Comment').inputValue(), await dialog.getByLabel('Glyph').inputValue()], ['Best by test.\nFischer said so.', '1']);
});

test('only chosen moves are searched, and all again', async () => {
  const page = await open('/analyse');
  await withoutEnd(page);
  await page.keyboard.press('l');
  await until('there are rows', async () => (await page.locator('.move-table tbody tr').count()) >= 6);
  const row = page.locator('.move-table tbody tr').nth(2);
  // Rows keep their places while the pointer is among them.
  await row.hover();
  const uci = await row.getAttribute('data-uci');
  await row.locator('th button').click({ modifiers: ['Shift'] });
  await page.getByText(/^Only /).waitFor();
  await becomes('its row alone is left', () => page.locator('.move-table tbody tr').evaluateAll((all) => all.map((one) => one.getAttribute('data-uci'))), [uci]);
  await page.getByRole('button', { name: 'all moves' }).click();
  await until('all are back', async () => (await page.locator('.move-table tbody tr').count()) >= 6);
});

test('keys hide the engine, go to rows, walk a line and play a row', async () => {
  const page = await open('/analyse');
  await withoutEnd(page);
  await page.keyboard.press('l');
  await until('there are arrows', async () => (await page.locator('.arrow.net-a').count()) > 0);
  await page.keyboard.press('l');
  await page.getByText('paused').waitFor();
  await page.keyboard.press('z');
  await until('nothing of the engine is left', async () => (await page.locator('.arrow, .move-table').count()) === 0);
  await page.keyboard.press('z');
  await page.locator('.move-table').waitFor();
  await page.keyboard.press(']');
  await page.locator('.preview .mini-board').waitFor();
  await page.keyboard.press(']');
  await until('two squares are marked on the small board', async () => (await page.locator('.preview .mini-mark').count()) === 2);
  const [small, more] = [await place(page, '.preview'), await place(page, page.getByRole('button', { name: 'More', exact: true }))];
  assert.ok(small.y + small.height <= more.y, '"More" stays in sight');
  await page.keyboard.press('2');
  await becomes('the second row has the focus', () => page.evaluate(() => document.activeElement?.closest('tr')?.rowIndex), 2);
  const uci = await page.locator('.move-table tbody tr').nth(1).getAttribute('data-uci');
  await page.keyboard.press('Shift+2');
  await page.waitForURL(new RegExp(`moves=${uci}`));
});

test('the tree of the search is drawn, zoomed, listed and put on the board', async () => {
  // A position with few moves, so that the visits are not spread thinly over them.
  const page = await open(`/analyse?fen=${encodeURIComponent('8/8/4k3/8/4K3/4P3/8/8 w - - 0 1')}`);
  await withoutEnd(page);
  await page.keyboard.press('l');
  await until('it has searched', async () => (await nodes(page)) > 3000);
  await page.keyboard.press('t');
  await until('blocks are drawn', async () => (await page.locator('.icicle-block').count()) > 10);
  await picture(page, 'analyse-tree');
  const first = page.locator('.icicle-block').first();
  await matches('a block says its move', () => first.getAttribute('aria-label'), /^\S+ \d+ % for White, \d+ visits$/);
  await first.hover();
  const wide = await place(page, first);
  await first.click();
  await page.getByText(/^below /).waitFor();
  assert.equal((await place(page, first)).width, wide.width);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await page.getByRole('button', { name: 'As list' }).click();
  const rows = page.getByRole('treegrid').getByRole('button');
  await until('rows are listed', async () => (await rows.count()) > 10);
  // The second row need not be below the first: where visits are spread thinly, it is another first move.
  await page.getByRole('treegrid').locator('[aria-level="2"]').getByRole('button').first().click();
  await page.waitForURL(/moves=\w{4,5},\w{4,5}/);
});

test('a PGN dropped anywhere is imported; of many games one is chosen', async () => {
  const page = await open('/analyse');
  const drop = (text: string) =>
    page.evaluate((content) => {
      const data = new DataTransfer();
      data.items.add(new File([content], 'game.pgn', { type: 'text/plain' }));
      dispatchEvent(new DragEvent('dragover', { dataTransfer: data, cancelable: true }));
      dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
    }, text);
  await drop('[White "Anna"]\n[Black "Bert"]\n\n1. e4 c5 2. Nf3 d6 *\n');
  await page.getByRole('button', { name: 'd6', exact: true }).waitFor();
  await page.keyboard.press('End');
  await page.locator('.opening', { hasText: 'B50 Sicilian Defense' }).waitFor();
  await drop('[White "Anna"]\n\n1. e4 *\n\n[White "Carl"]\n\n1. d4 *\n');
  await page.getByRole('dialog').getByRole('button', { name: /Carl/ }).click();
  await page.getByRole('button', { name: 'd4', exact: true }).waitFor();
  const match = (round: string, white: string, black: string) => `[Round "${round}"]\n[White "${white}"]\n[Black "${black}"]\n[Result "1-0"]\n\n1. e4 c5 2. Nf3 d6 1-0\n\n`;
  await drop(match('1.1', 'net=runs/toy/network.tabiya,nodes=50', 'default,nodes=100') + match('1.2', 'default,nodes=100', 'net=runs/toy/network.tabiya,nodes=50'));
  const rows = page.locator('.import-list .game-row');
  await matches('a row has round, colours, result, length and opening', async () => (await rows.first().locator('span').allTextContents()).join(', '), /^1\.1, toy · 50 nodes - default · 100 nodes, 1-0, 2 moves, Sicilian Defense/);
  await picture(page, 'games-of-a-match');
  await rows.last().click();
  await page.locator('.player-name', { hasText: 'toy · 50 nodes' }).waitFor();
  await drop('1. e4 *\n\n[White "Carl"]\n\n1. d4 *\n');
  await page.getByRole('dialog').getByRole('button', { name: /Carl/ }).click();
  await page.getByRole('button', { name: 'd4', exact: true }).waitFor();
  await drop('1. e4 e5 '.repeat(1_000_000));
  await page.getByText('game.pgn has 9000000 bytes; expected at most 8388608.').waitFor();
  await page.getByRole('button', { name: 'd4', exact: true }).waitFor();
});

test('what is dropped or pasted the moment the screen is drawn is not lost', async () => {
  const page = await open('/networks');
  /** Does something as soon as a screen has its heading, before the browser has drawn it. */
  const atOnce = async (what: 'drop' | 'paste', pgn: string) => {
    await page.addInitScript(
      ([kind, text]) => {
        const seen = new MutationObserver(() => {
          if (!document.querySelector('h1')) return;
          seen.disconnect();
          const data = new DataTransfer();
          data.setData('text/plain', text ?? '');
          const options = { bubbles: true, cancelable: true };
          if (kind === 'drop') document.body.dispatchEvent(new DragEvent('drop', { ...options, dataTransfer: data }));
          else document.body.dispatchEvent(new ClipboardEvent('paste', { ...options, clipboardData: data }));
        });
        seen.observe(document, { childList: true, subtree: true });
      },
      [what, pgn],
    );
    await page.goto(`${program.address}/analyse`);
  };
  await atOnce('drop', '1. d4 d5 *');
  await page.getByRole('button', { name: 'd5', exact: true }).waitFor();
  await atOnce('paste', '1. c4 c5 *');
  await page.getByRole('button', { name: 'c5', exact: true }).waitFor();
});

test('openings get their names once the table has arrived, and moves do not wait for it', async () => {
  const page = await open('/analyse');
  const asked: Route[] = [];
  await page.route(/openings-.*\.js$/, (route) => void asked.push(route));
  await drag(page, 'e2', 'e4');
  await until('the table is asked for', async () => asked.length === 1);
  await drag(page, 'c7', 'c5');
  await drag(page, 'g1', 'f3');
  await page.getByRole('button', { name: 'Nf3', exact: true }).waitFor();
  await becomes('the opening has no name', () => page.locator('.opening').textContent(), '');
  await asked[0]?.continue();
  await page.locator('.opening', { hasText: 'B27 Sicilian Defense' }).waitFor();
});

test('a mistake is found better, and the review goes into the PGN', async () => {
  const page = await open('/analyse');
  await importText(page, '1. e4 e5 2. Qh5 Nc6 3. Qxh7 Rxh7 4. Nf3 *');
  await page.getByRole('button', { name: 'Qxh7' }).waitFor();
  await page.getByRole('tab', { name: 'Review' }).click();
  await page.getByLabel('Nodes per position').selectOption('1600');
  const begun = page.waitForResponse((answer) => answer.url().endsWith('/reviews') && answer.request().method() === 'POST');
  await page.getByRole('button', { name: 'Review the game' }).click();
  const { id } = (await (await begun).json()) as { id: string };
  await page.getByText('Accuracy', { exact: true }).waitFor();
  const review = (await (await page.request.get(`/api/v1/reviews/${id}`)).json()) as { points: { best: string; judgement: string }[] };
  await page.getByRole('button', { name: /^Find better/ }).click();
  await page.getByText(/was played. Find better/).waitFor();
  const played = ['e2e4', 'e7e5', 'd1h5', 'b8c6', 'h5h7', 'h8h7', 'g1f3'];
  // If the search preferred the move played, there is nothing better to find.
  const wrong = [0, 2, 4, 6].filter((ply) => ['inaccuracy', 'mistake', 'blunder'].includes(review.points[ply]?.judgement ?? '') && review.points[ply]?.best !== played[ply]);
  assert.equal(review.points[4]?.judgement, 'blunder', 'the queen is given away');
  for (const ply of wrong) {
    await drag(page, played[ply]?.slice(0, 2) ?? '', played[ply]?.slice(2, 4) ?? '');
    await page.locator('[data-verdict=wrong]').waitFor();
    const best = review.points[ply]?.best ?? '';
    await drag(page, best.slice(0, 2), best.slice(2, 4));
    await page.locator('[data-verdict=right]').waitFor();
    if (ply === 4) await picture(page, 'analyse-find-better');
    const last = ply === wrong.at(-1);
    await page.getByRole('button', { name: last ? 'Done' : 'Next', exact: true }).click();
    if (!last) await page.locator('[data-verdict=right]').waitFor({ state: 'detached' });
  }
  await fromMenu(page, 'Export');
  const pgn = await matches('the PGN has the review', () => page.getByRole('dialog').getByLabel('PGN', { exact: true }).inputValue(), /3\. Qxh7 \$4/);
  assert.match(pgn, /\[%eval -?\d/);
  assert.match(pgn, /\[%wdl \d+,\d+,\d+\]/);
  assert.match(pgn, /\[Annotator "Tabiya/);
});

test('arrows drawn by hand go into the PGN and come back', async () => {
  const page = await open('/analyse');
  await importText(page, '1. e4 { good [%cal Gd2d4] [%csl Rf7] [%clk 0:03:00] } e5 *');
  await page.getByRole('button', { name: 'e4', exact: true }).click();
  await until('both shapes are drawn', async () => (await page.locator('cg-container svg.cg-shapes g > *').count()) >= 2);
  await page.getByText('good', { exact: true }).waitFor();
  await answered(page, 'Copy PGN', 'PGN copied.');
  const written = await page.evaluate(() => navigator.clipboard.readText());
  for (const part of ['good', '[%cal Gd2d4]', '[%csl Rf7]', '[%clk 0:03:00]']) assert.ok(written.includes(part), `${part} in ${written}`);
});

test('the network that is built in shows what people of each rating would play', async () => {
  const page = await open('/analyse?tab=human');
  const table = page.locator('.human-table');
  for (const rating of ['800', '1400', '2000']) await table.getByRole('columnheader', { name: rating, exact: true }).waitFor();
  // There are rows without moves until the networks have answered.
  await until('moves are there', async () => (await table.locator('tbody button.move').count()) >= 4);
});

test('the address keeps what was chosen', async () => {
  const page = await open('/analyse');
  await page.keyboard.press('f');
  await page.keyboard.press('t');
  await page.getByRole('slider', { name: 'Budget' }).fill('3');
  await page.waitForURL(/nodes=100&|nodes=100$/);
  await page.reload();
  await page.locator('.board[data-orientation=black]').waitFor();
  await becomes('the budget is kept', () => page.getByRole('slider', { name: 'Budget' }).inputValue(), '3');
  await page.getByRole('tab', { name: 'Tree', selected: true }).waitFor();
});
