/**
 * Stage of the browser tests: the real program on a free port, a real Chromium, and pages that fail on a console error or on a
 * request to anywhere else.
 *
 * TABIYA_PROGRAM names the program, CHROMIUM the browser; TABIYA_SCREENSHOTS, if it is set, a folder for pictures.
 * TABIYA_BROWSER_SLOWDOWN=4 makes every page four times slower, as on a busy machine: it finds tests that look too early.
 */

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type BrowserContext, type BrowserContextOptions, type Locator, type Page, chromium } from 'playwright-core';

/** Viewports of a desktop, a tablet and a phone, upright and on its side. */
export const SIZES = [
  { width: 1920, height: 1080 },
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 820, height: 1180 },
  { width: 390, height: 844 },
  { width: 844, height: 390 },
] as const;

/** A browser of this size; the small ones have a touch screen. */
export function device(viewport: { width: number; height: number }): BrowserContextOptions {
  return { viewport, hasTouch: viewport.width < 900, isMobile: viewport.width < 900 };
}

const PROGRAM = process.env['TABIYA_PROGRAM'] ?? '';
export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const SCREENSHOTS = process.env['TABIYA_SCREENSHOTS'];
const SLOWDOWN = Number(process.env['TABIYA_BROWSER_SLOWDOWN'] ?? 1);

/** Milliseconds that a page may take for anything; generous, because machines are busy and no test measures time. */
export const PATIENCE_MS = 90_000;

/** Milliseconds between two looks at something that is awaited, and between two looks that must be equal. */
const LOOK_EVERY_MS = 50;
const STILL_MS = 100;

/** Runs a command of the program to its end and returns what it printed. */
export function run(folder: string, ...words: string[]): string {
  return execFileSync(PROGRAM, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** The program, serving pages from a folder of its own. */
export class Program {
  address = '';
  private process: ChildProcess | null = null;

  constructor(
    readonly folder: string,
    private readonly extra: string[] = [],
  ) {}

  async start(port = 0): Promise<void> {
    assert.ok(PROGRAM, 'TABIYA_PROGRAM must name the program');
    const process = spawn(PROGRAM, ['play', '--port', String(port), ...this.extra], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.process = process;
    this.address = await new Promise((resolve, reject) => {
      let said = '';
      process.stdout.on('data', (bytes: Buffer) => {
        said += bytes.toString();
        const link = /http:\/\/[^/\s]+/.exec(said);
        if (link) resolve(link[0]);
      });
      process.once('exit', (code) => reject(new Error(`the program ended with ${code}: ${said}`)));
    });
  }

  get port(): number {
    return Number(new URL(this.address).port);
  }

  get pid(): number {
    return this.process?.pid ?? 0;
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    const process = this.process;
    if (!process || process.exitCode !== null) return;
    const gone = new Promise((resolve) => {
      process.once('exit', resolve);
    });
    process.kill('SIGKILL');
    await gone;
  }
}

export interface Stage {
  program: Program;
  /** A page of its own, on an address of the program or a file. */
  open: (path: string, options?: BrowserContextOptions) => Promise<Page>;
  /** Lets the next faults of pages pass, for a test that breaks something on purpose. */
  expectFaults: () => void;
}

/** Sets the stage for the tests of one file. `extra` are arguments of `tabiya play`. */
export function stage(extra: string[] = []): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'tabiya-page-'));
  const profile = mkdtempSync(join(tmpdir(), 'tabiya-browser-'));
  const program = new Program(folder, extra);
  const contexts: BrowserContext[] = [];
  let browser: Awaited<ReturnType<typeof chromium.launch>> | null = null;
  let faults: string[] = [];
  let tolerant = false;

  before(async () => {
    await program.start();
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      timeout: PATIENCE_MS,
      args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', `--crash-dumps-dir=${profile}`],
    });
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    const found = faults;
    faults = [];
    const excused = tolerant;
    tolerant = false;
    if (!excused) assert.deepEqual(found, [], 'the page has faults');
  });
  after(async () => {
    await browser?.close();
    await program.kill();
    rmSync(folder, { recursive: true, force: true });
    rmSync(profile, { recursive: true, force: true });
  });

  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    assert.ok(browser);
    const context = await browser.newContext({ baseURL: program.address, viewport: { width: 1280, height: 800 }, ...options });
    contexts.push(context);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: program.address });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    if (SLOWDOWN > 1) {
      await slow(page);
      context.on('page', (other) => void slow(other).catch(() => undefined));
    }
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => faults.push(`exception: ${error.stack ?? error.message}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'data:' && request.url() !== path && url.host !== new URL(program.address).host) faults.push(`foreign: ${request.url()}`);
    });
    await page.goto(path.startsWith('file:') ? path : program.address + path);
    // Every screen has a heading; no keys are handled before it is there.
    await page.locator('h1').first().waitFor({ state: 'attached' });
    return page;
  };
  return {
    program,
    open,
    expectFaults: () => {
      tolerant = true;
    },
  };
}

async function slow(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
}

/** Saves a picture if pictures were asked for. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!SCREENSHOTS) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

/** Chooses from the menu of the analysis board. */
export async function fromMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
}

/** Pastes a text where the focus is. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((content) => navigator.clipboard.writeText(content), text);
  await page.keyboard.press('Control+v');
}

/** Chooses an entry of that menu whose answer is shown for only some seconds: it may be gone before the test looks. */
export async function answered(page: Page, name: string, text: string): Promise<void> {
  type Answered = typeof globalThis & { answered: boolean };
  await page.evaluate((wanted) => {
    (globalThis as Answered).answered = false;
    const observer = new MutationObserver(() => {
      const said = document.querySelector('.dock .said');
      if (said?.textContent !== wanted || !said.checkVisibility()) return;
      (globalThis as Answered).answered = true;
      observer.disconnect();
    });
    observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  }, text);
  await fromMenu(page, name);
  await page.waitForFunction(() => (globalThis as Answered).answered);
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The place of an element once it no longer moves. */
export async function place(page: Page, element: string | Locator): Promise<Box> {
  const one = typeof element === 'string' ? page.locator(element).first() : element;
  const found = await settled(page, `the place of ${String(element)}`, () => one.boundingBox(), (box) => box !== null);
  assert.ok(found);
  return found;
}

/** The centres of squares on the screen. */
async function centres(page: Page, ...squares: string[]): Promise<{ x: number; y: number }[]> {
  const box = await place(page, page.locator('.board-squares'));
  const black = (await page.locator('.board').getAttribute('data-orientation')) === 'black';
  return squares.map((square) => {
    const file = square.charCodeAt(0) - 97;
    const rank = Number(square[1]) - 1;
    const column = black ? 7 - file : file;
    const row = black ? rank : 7 - rank;
    return { x: box.x + ((column + 0.5) * box.width) / 8, y: box.y + ((row + 0.5) * box.height) / 8 };
  });
}

export async function centre(page: Page, square: string): Promise<{ x: number; y: number }> {
  const [point] = await centres(page, square);
  assert.ok(point);
  return point;
}

/** Drags a piece with the mouse. */
export async function drag(page: Page, from: string, to: string): Promise<void> {
  const [start, end] = await centres(page, from, to);
  assert.ok(start && end);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 4 });
  await page.mouse.move(end.x, end.y, { steps: 4 });
  await page.mouse.up();
}

export async function click(page: Page, square: string): Promise<void> {
  const { x, y } = await centre(page, square);
  await page.mouse.click(x, y);
}

/** Text of a square for screen readers. */
export async function said(page: Page, square: string): Promise<string> {
  return (await page.locator(`[data-square=${square}]`).getAttribute('aria-label')) ?? '';
}

/** Waits until a square says something. */
export async function says(page: Page, square: string, text: string): Promise<void> {
  await until(`${square} says "${text}"`, async () => (await said(page, square)).includes(text));
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** Reads repeatedly until the value is right; when the time is over, `refuse` fails with the last value. */
async function poll<T>(read: () => Promise<T>, isRight: (found: T) => boolean, refuse: (found: T) => void): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    if (isRight(found)) return found;
    if (Date.now() >= end) refuse(found);
    await pause(LOOK_EVERY_MS);
  }
}

/** Waits until something holds. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  await poll(holds, (found) => found, () => assert.fail(`waited in vain until ${what}`));
}

/** Waits until the value read is the wanted one. */
export async function becomes<T>(what: string, read: () => Promise<T>, wanted: T): Promise<void> {
  await poll(read, (found) => isDeepStrictEqual(found, wanted), (found) => assert.deepEqual(found, wanted, what));
}

/** Waits until the text read matches, and returns it. */
export async function matches(what: string, read: () => Promise<string | null>, pattern: RegExp): Promise<string> {
  const text = async () => (await read()) ?? '';
  return await poll(text, (found) => pattern.test(found), (found) => assert.match(found, pattern, what));
}

/**
 * Returns a value once it is there (`holds`) and no longer changes: two looks, with two frames of the page between them, are
 * equal. Measurements of places and sizes need it, because parts that arrive late move the earlier ones.
 */
export async function settled<T>(page: Page, what: string, read: () => Promise<T>, holds: (found: T) => boolean = () => true): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  let found = await read();
  for (;;) {
    await frames(page);
    await pause(STILL_MS);
    const before = found;
    found = await read();
    if (holds(found) && isDeepStrictEqual(before, found)) return found;
    assert.ok(Date.now() < end, `waited in vain for ${what}: ${JSON.stringify(found)}`);
  }
}

/** Waits until the page has drawn twice, after which every observer of sizes has seen them. */
async function frames(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      }),
  );
}

/** The game a page shows, from the server. */
export async function game(page: Page): Promise<GameState> {
  const id = new URL(page.url()).pathname.split('/')[2];
  const answer = await page.request.get(`/api/v1/games/${id}`);
  assert.equal(answer.status(), 200);
  return (await answer.json()) as GameState;
}

export interface GameState {
  fen: string;
  moves: { uci: string; san: string }[];
  turn: 'white' | 'black';
  person: 'white' | 'black';
  thinking: boolean;
  help: boolean;
  end: { result: string; reason: string; text: string } | null;
}

/** A game with its own settings, opened in a page. */
export async function playing({ open, program }: Stage, wish: Record<string, unknown>, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await open('/', options);
  const answer = await page.request.post('/api/v1/games', { data: { nodes: 20, seed: 1, ...wish } });
  assert.equal(answer.status(), 201, await answer.text());
  const { id } = (await answer.json()) as { id: string };
  await page.goto(`${program.address}/play/${id}`);
  await arrived(page);
  return page;
}

/** The opponent is named once the game has arrived; before, nothing can be moved. */
export async function arrived(page: Page): Promise<void> {
  await page.locator('.opponent-note').waitFor();
}

/** Waits until the person is to move, or the game is over. */
export async function yourTurn(page: Page, plies: number): Promise<GameState> {
  let state = await game(page);
  await until(`${plies} half-moves are played`, async () => {
    state = await game(page);
    return state.end !== null || (state.moves.length >= plies && state.turn === state.person);
  });
  await until('the page shows them', async () => (await page.locator('.move-list button.move').count()) >= state.moves.length);
  return state;
}

/** Gives the game up. The question stays for four seconds; on a busy machine that may pass before the answer. */
export async function resign(page: Page): Promise<void> {
  await until('the game is given up', async () => {
    await page.getByRole('button', { name: 'Resign' }).click({ timeout: 5000 }).catch(() => undefined);
    await page.getByRole('button', { name: 'Yes', exact: true }).click({ timeout: 3000 }).catch(() => undefined);
    return (await game(page)).end !== null;
  });
}

/** Waits until the analysis board has its networks, whose names take room. */
export async function networksKnown(page: Page): Promise<void> {
  await page.locator('.network-select option').first().waitFor({ state: 'attached' });
}

/** Lets the search run until it is stopped: counting pieces is quick, and any budget may be spent before a test looks. */
export async function withoutEnd(page: Page): Promise<void> {
  await page.getByRole('slider', { name: 'Budget' }).fill('12');
}
