/**
 * Measurements of the page: size and time of the first load, cost of pages that are only open, what fifty of them take from a
 * search, how smoothly the analysis is drawn, the first load on a slow line, and how far each screen shifts while it loads.
 * Prints one line each; docs/experiments/page-load.md keeps them. Names of parts as arguments (loads, slow, shifts, idle,
 * search, frames) run only those.
 *
 *     cargo build --release && scripts/build-page --check
 *     cd crates/web/ui && TABIYA_PROGRAM=../../../target/release/tabiya node build/tests/measure/page.js
 *
 * Times are those of the machine as it is. What fifty pages take from a search is given in two ways: in visits per second, in
 * turns with and without the pages, and in visits per second of processor time of the search thread, which other work on the
 * machine does not change.
 */

import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type Page, chromium } from 'playwright-core';
import { CHROMIUM, Program, SIZES } from '../browser/harness.ts';
import { layoutShifts, totalOf } from '../browser/layout-shift.ts';

const PAGES = 50;
const ROUNDS = 3;
const SAMPLE_S = 8;
const LOADS = 7;
/** Ticks of /proc per second. */
const TICKS = 100;

const wait = (seconds: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, 1000 * seconds);
  });

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function say(what: string, figure: string): void {
  process.stdout.write(`${what}: ${figure}\n`);
}

/** Processor time, in seconds, of those threads of a process whose name begins with the text. */
function processorTime(pid: number, thread: string): number {
  let ticks = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    if (!name.startsWith(thread)) continue;
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / TICKS;
}

async function firstLoads(browser: Browser, address: string): Promise<void> {
  const figures: { bytes: number; interactive: number; pieces: number }[] = [];
  for (let load = 0; load < LOADS; load++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto(address);
    await page.waitForFunction(() => document.querySelectorAll('cg-board piece').length === 32);
    figures.push(
      await page.evaluate(() => {
        const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
        const [document_] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
        const bytes = files.reduce((sum, file) => sum + file.transferSize, document_?.transferSize ?? 0);
        return { bytes, interactive: document_?.domInteractive ?? 0, pieces: performance.now() };
      }),
    );
    await context.close();
  }
  say('first load', `${Math.round((figures[0]?.bytes ?? 0) / 1000)} kB`);
  say('document interactive, median', `${Math.round(median(figures.map((one) => one.interactive)))} ms`);
  say('all 32 pieces on the board, median (and looked at)', `${Math.round(median(figures.map((one) => one.pieces)))} ms`);
}

/** A slow mobile line as in WebPageTest's profile "3GSlow", and a processor six times as slow. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 400_000 / 8, uploadThroughput: 400_000 / 8 };
const SLOWDOWN = 6;

async function slowLoads(browser: Browser, address: string): Promise<void> {
  const figures: { paint: number; first: number; interactive: number }[] = [];
  for (let load = 0; load < LOADS; load++) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', SLOW);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    // The board of the document goes away when the page's own is there.
    await page.addInitScript(() => {
      // Writing the attribute is a change that the observer itself would see, so it stops observing first.
      const look = (_: unknown, observer: MutationObserver) => {
        const ready = document.getElementById('first')?.dataset['ready'];
        if (!ready) return;
        observer.disconnect();
        document.documentElement.dataset['firstReady'] = ready;
      };
      new MutationObserver(look).observe(document, { attributes: true, childList: true, subtree: true });
    });
    await page.goto(address, { waitUntil: 'commit' });
    await page.waitForFunction(() => document.querySelectorAll('cg-board piece').length === 32);
    figures.push(
      await page.evaluate(() => ({
        first: Number(document.documentElement.dataset['firstReady']),
        paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
        interactive: performance.now(),
      })),
    );
    await context.close();
  }
  const told = (value: (one: (typeof figures)[number]) => number) => `${Math.round(median(figures.map(value)))} ms`;
  say(`400 kbit/s, 400 ms, processor ${SLOWDOWN} times as slow: board of the document painted, median`, told((one) => one.paint));
  say('there: the board of the document takes a move, median', told((one) => one.first));
  say('there: the board of the page takes moves, median', told((one) => one.interactive));
}

const SCREENS = ['/', '/analyse?moves=e2e4', '/analyse?tab=human', '/networks', '/networks/default', '/networks/compare?a=default&b=material', '/runs', '/runs?table=1', '/results'];

/** Cumulative layout shift at each size: the value of its worst screen. */
async function shifts(browser: Browser, address: string): Promise<void> {
  for (const viewport of SIZES) {
    const context = await browser.newContext({ viewport });
    const page = await context.newPage();
    let worst = { screen: '', shift: -1 };
    for (const screen of SCREENS) {
      await page.goto(address + screen);
      await page.locator('h1').first().waitFor({ state: 'attached' });
      await wait(1);
      const shift = totalOf(await layoutShifts(page));
      if (shift > worst.shift) worst = { screen, shift };
    }
    say(`layout shift at ${viewport.width}x${viewport.height}, worst screen`, `${worst.shift.toFixed(4)} (${worst.screen})`);
    await context.close();
  }
}

async function visits(page: Page): Promise<number> {
  return Number(await page.locator('.engine-figures').getAttribute('data-nodes'));
}

interface Sample {
  perSecond: number;
  perProcessorSecond: number;
}

async function sample(page: Page, pid: number): Promise<Sample> {
  const [nodes, cpu, clock] = [await visits(page), processorTime(pid, 'analysis'), performance.now()];
  await wait(SAMPLE_S);
  const [moreNodes, moreCpu, later] = [await visits(page), processorTime(pid, 'analysis'), performance.now()];
  return { perSecond: (1000 * (moreNodes - nodes)) / (later - clock), perProcessorSecond: (moreNodes - nodes) / (moreCpu - cpu) };
}

/** One page searches without end; fifty others come and go. */
async function manyPages(browser: Browser, address: string, pid: number): Promise<void> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${address}/analyse?nodes=none`);
  await page.locator('h1').waitFor({ state: 'attached' });
  const idle: Page[] = [];
  const alone: Sample[] = [];
  const crowded: Sample[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // Each round begins with an empty tree, so that both samples see the same search.
    for (const crowd of round % 2 ? [true, false] : [false, true]) {
      const context = await browser.newContext();
      if (crowd) for (let count = 0; count < PAGES; count++) idle.push(await openIdle(context, address));
      await page.reload();
      await page.locator('h1').waitFor({ state: 'attached' });
      await page.bringToFront();
      // The page remembers that the engine was off, and begins with it off.
      await page.keyboard.press('l');
      await page.waitForFunction(() => Number(document.querySelector<HTMLElement>('.engine-figures')?.dataset['nodes']) > 500);
      await wait(1);
      (crowd ? crowded : alone).push(await sample(page, pid));
      await page.keyboard.press('l');
      await context.close();
    }
  }
  const ratio = (value: (one: Sample) => number) => median(crowded.map(value)) / median(alone.map(value));
  say(`visits per processor second of the search, ${PAGES} pages against none`, `${(100 * ratio((one) => one.perProcessorSecond)).toFixed(1)} %`);
  say(`visits a second, ${PAGES} pages against none`, `${(100 * ratio((one) => one.perSecond)).toFixed(1)} %`);
  say('all samples, visits a second alone', alone.map((one) => Math.round(one.perSecond)).join(' '));
  say('all samples, visits a second with the pages', crowded.map((one) => Math.round(one.perSecond)).join(' '));
}

async function openIdle(context: Awaited<ReturnType<Browser['newContext']>>, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await page.locator('.chip[data-state=open]').waitFor({ state: 'attached' });
  return page;
}

/** Load of the server while fifty pages are open and idle. */
async function idleCost(browser: Browser, address: string, pid: number): Promise<void> {
  const context = await browser.newContext();
  for (let count = 0; count < PAGES; count++) await openIdle(context, address);
  await wait(2);
  const before = processorTime(pid, '');
  await wait(20);
  say(`processor time of the idle server with ${PAGES} pages, 20 s`, `${(processorTime(pid, '') - before).toFixed(2)} s`);
  await context.close();
}

async function frames(browser: Browser, address: string): Promise<void> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(`${address}/analyse?nodes=none`);
  await page.locator('h1').waitFor({ state: 'attached' });
  const measure = () =>
    page.evaluate(
      () =>
        new Promise<{ p95: number; long: number }>((resolve) => {
          const deltas: number[] = [];
          let long = 0;
          new PerformanceObserver((list) => {
            long += list.getEntries().length;
          }).observe({ type: 'longtask' });
          let last = performance.now();
          const tick = (now: number) => {
            deltas.push(now - last);
            last = now;
            if (deltas.length < 400) requestAnimationFrame(tick);
            else resolve({ p95: deltas.sort((a, b) => a - b)[Math.floor(0.95 * deltas.length)] ?? 0, long });
          };
          requestAnimationFrame(tick);
        }),
    );
  const still = await measure();
  await page.keyboard.press('l');
  await page.locator('.arrow.net-a').first().waitFor({ state: 'attached' });
  const busy = await measure();
  say('time between frames, 95th percentile, nothing to draw', `${still.p95.toFixed(1)} ms, ${still.long} tasks over 50 ms`);
  say('time between frames, 95th percentile, analysing', `${busy.p95.toFixed(1)} ms, ${busy.long} tasks over 50 ms`);
  await page.context().close();
}

const folder = mkdtempSync(join(tmpdir(), 'tabiya-measure-'));
const profile = mkdtempSync(join(tmpdir(), 'tabiya-browser-'));
const program = new Program(folder);
await program.start();
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-background-networking', `--crash-dumps-dir=${profile}`] });
try {
  const parts: [string, () => Promise<void>][] = [
    ['loads', () => firstLoads(browser, program.address)],
    ['slow', () => slowLoads(browser, program.address)],
    ['shifts', () => shifts(browser, program.address)],
    ['idle', () => idleCost(browser, program.address, program.pid)],
    ['search', () => manyPages(browser, program.address, program.pid)],
    ['frames', () => frames(browser, program.address)],
  ];
  const wanted = process.argv.slice(2);
  for (const [name, part] of parts) if (wanted.length === 0 || wanted.includes(name)) await part();
} finally {
  await browser.close();
  await program.kill();
  rmSync(folder, { recursive: true, force: true });
  rmSync(profile, { recursive: true, force: true });
}
