/**
 * Stage of the browser tests: the real program on a free port, a real Chromium, and pages that fail on a console error
 * or on a request to anywhere else.
 *
 * TABIYA_PROGRAM names the program, CHROMIUM the browser; TABIYA_SCREENSHOTS, where it is set, a folder for pictures.
 */

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { type BrowserContext, type BrowserContextOptions, type Page, chromium } from 'playwright-core';

/** Viewports of a desk, a tablet and a phone, upright and lying. */
export const SIZES = [
  { width: 1920, height: 1080 },
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 820, height: 1180 },
  { width: 390, height: 844 },
  { width: 844, height: 390 },
] as const;

/** A browser of this size: the small ones are touched. */
export function device(viewport: { width: number; height: number }): BrowserContextOptions {
  return { viewport, hasTouch: viewport.width < 900, isMobile: viewport.width < 900 };
}

const PROGRAM = process.env['TABIYA_PROGRAM'] ?? '';
export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const SCREENSHOTS = process.env['TABIYA_SCREENSHOTS'];

/** Milliseconds that a page may take for anything; generous, because machines are busy and no test is about time. */
const PATIENCE_MS = 90_000;

/** Runs a command of the program to its end; what it printed. */
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
  /** Lets the next faults of pages pass: a test that breaks something on purpose. */
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
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => faults.push(`exception: ${error.stack ?? error.message}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'data:' && request.url() !== path && url.host !== new URL(program.address).host) faults.push(`foreign: ${request.url()}`);
    });
    await page.goto(path.startsWith('file:') ? path : program.address + path);
    // Every screen has a heading; before it is there, no key is listened to.
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

/** Keeps a picture where somebody asked for pictures. */
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

/** The centre of a square on the screen. */
export async function centre(page: Page, square: string): Promise<{ x: number; y: number }> {
  const board = page.locator('.board');
  const box = await page.locator('.board-squares').boundingBox();
  assert.ok(box);
  const black = (await board.getAttribute('data-orientation')) === 'black';
  const file = square.charCodeAt(0) - 97;
  const rank = Number(square[1]) - 1;
  const column = black ? 7 - file : file;
  const row = black ? rank : 7 - rank;
  return { x: box.x + ((column + 0.5) * box.width) / 8, y: box.y + ((row + 0.5) * box.height) / 8 };
}

/** Drags a piece with the mouse. */
export async function drag(page: Page, from: string, to: string): Promise<void> {
  const start = await centre(page, from);
  const end = await centre(page, to);
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

/** Waits until something holds. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `waited in vain until ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
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

/** Lets the search run until it is stopped: counting pieces is quick, and any budget may be spent before a test looks. */
export async function withoutEnd(page: Page): Promise<void> {
  await page.getByRole('slider', { name: 'Budget' }).fill('12');
}
