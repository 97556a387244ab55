/**
 * Makes the pictures of the page in docs/images, from the bundled networks and the training log of `default`.
 *
 *     cargo build --release && scripts/build-page --check
 *     cd crates/web/ui && TABIYA_PROGRAM=../../../target/release/tabiya node build/tests/measure/pictures.js ../../../docs/images
 */

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, type Page, chromium } from 'playwright-core';
import { CHROMIUM, Program, SIZES, device } from '../browser/harness.ts';
import { LONG } from '../browser/long-game.ts';

const OUT = resolve(process.argv[2] ?? 'pictures');
/** The training whose curves are drawn. */
const TRAINED = resolve('../../../nets/default');
/** Half-moves of the game up to a blunder. */
const PLIES = 24;

type Size = (typeof SIZES)[number];
const DESK: Size = { width: 1440, height: 900 };
type Theme = 'light' | 'dark';

async function keep(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(OUT, `${name}.png`) });
  process.stdout.write(`${name}.png\n`);
}

async function open(browser: Browser, address: string, size: Size, theme: Theme): Promise<Page> {
  const context = await browser.newContext({ ...device(size), colorScheme: theme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(300_000);
  const page = await context.newPage();
  await page.goto(address);
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  return page;
}

/** Opens the reviewed game at its blunder, and waits until the search of that position is done. */
async function analysed(browser: Browser, game: string, size: Size, theme: Theme): Promise<Page> {
  const page = await open(browser, game, size, theme);
  await page.locator('.notation [data-judgement]').first().waitFor({ state: 'attached' });
  await page.keyboard.press('l');
  await page.getByText('done ·').first().waitFor();
  // The server reports the state of the search a moment later.
  await page.getByText('idle', { exact: true }).first().waitFor();
  return page;
}

/** Pictures of one theme at all sizes on one sheet. */
async function sheet(browser: Browser, pictures: { size: Size; png: Buffer }[], theme: Theme): Promise<void> {
  const page = await (await browser.newContext({ viewport: { width: 1300, height: 720 } })).newPage();
  const images = pictures.map(({ size: { width }, png }) => `<img width="${Math.round(width * (width < 900 ? 0.41 : 0.25))}" src="data:image/png;base64,${png.toString('base64')}">`);
  const [paper, edge] = theme === 'light' ? ['#cfcac2', '#b5afa6'] : ['#000', '#333'];
  await page.setContent(`<body style="margin:0;padding:12px;background:${paper};display:flex;flex-wrap:wrap;gap:12px;align-items:start;width:1276px"><style>img{border:1px solid ${edge}}</style>${images.join('')}`);
  await page.screenshot({ path: join(OUT, `sizes-${theme}.png`), fullPage: true });
  process.stdout.write(`sizes-${theme}.png\n`);
  await page.context().close();
}

const folder = mkdtempSync(join(tmpdir(), 'tabiya-pictures-'));
mkdirSync(join(folder, 'runs', 'default'), { recursive: true });
for (const file of ['log.jsonl', 'recipe.toml']) cpSync(join(TRAINED, file), join(folder, 'runs', 'default', file));
writeFileSync(join(folder, 'runs', 'default', 'summary.json'), '{}');
mkdirSync(OUT, { recursive: true });
const program = new Program(folder);
await program.start();
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-background-networking'] });
try {
  const start = await open(browser, program.address, DESK, 'light');
  await start.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
  await start.locator('.strip-mark').nth(3).waitFor({ state: 'attached' });
  await keep(start, 'play');

  const runs = await open(browser, `${program.address}/runs/default`, DESK, 'light');
  await runs.locator('.chart canvas').first().waitFor();
  await runs.waitForTimeout(500);
  await keep(runs, 'runs');

  // The game is reviewed once: every later page finds the review by the moves.
  const first = await open(browser, `${program.address}/analyse?nodes=3000`, DESK, 'light');
  await first.evaluate((text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  }, LONG);
  await first.locator('.notation button.move').first().waitFor();
  await first.getByRole('tab', { name: 'Review' }).click();
  await first.getByRole('button', { name: 'Review the game' }).click();
  await first.getByText('Accuracy', { exact: true }).waitFor();
  await first.getByRole('tab', { name: 'Moves' }).click();
  await first.keyboard.press('Home');
  for (let ply = 0; ply < PLIES; ply++) await first.keyboard.press('ArrowRight');
  await first.waitForURL(new RegExp(`ply=${PLIES}`));
  const game = first.url();

  for (const theme of ['light', 'dark'] as const) {
    const pictures = [];
    for (const size of SIZES) {
      const page = await analysed(browser, game, size, theme);
      pictures.push({ size, png: await page.screenshot() });
      const single: Record<string, string> = { '1440 light': 'analyse', '1920 dark': 'analyse-wide-dark', '820 light': 'analyse-tablet', '390 dark': 'phone-dark', '844 light': 'analyse-phone-wide' };
      const name = single[`${size.width} ${theme}`];
      if (name) await keep(page, name);
      await page.context().close();
    }
    await sheet(browser, pictures, theme);
  }
} finally {
  await browser.close();
  await program.kill();
  rmSync(folder, { recursive: true, force: true });
}
