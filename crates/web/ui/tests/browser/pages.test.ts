import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Page } from 'playwright-core';
import { click, drag, game, picture, stage, until, yourTurn } from './harness.ts';

const { program, open, expectFaults } = stage();

/** A training run as `tabiya train` leaves it, so far. */
function writeRun(name: string, steps: number): string {
  const folder = join(program.folder, 'runs', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'recipe.toml'), '[training]\nsteps = 1000\nbatch = 64\n');
  const lines = Array.from({ length: steps }, (_, index) => stepLine(20 * (index + 1)));
  writeFileSync(join(folder, 'log.jsonl'), lines.join(''));
  return folder;
}

function stepLine(step: number): string {
  const loss = 2 + 1.3 * Math.exp(-step / 300) + 0.05 * Math.sin(step);
  return `${JSON.stringify({ kind: 'step', step, learning_rate: 0.001, policy_loss: loss, value_loss: loss / 3, gradient_norm: 1, positions_per_second: 900 })}\n`;
}

function validationLine(step: number): string {
  const baselines = { policy_loss: 3.3, top1: 0.05, value_loss: 1.09, value_error: 0.31 };
  return `${JSON.stringify({ kind: 'validation', step, validation: { policy_loss: 2.4, top1: 0.3, value_loss: 0.8, value_error: 0.15, baselines } })}\n`;
}

test('networks are listed with what is known, one tells where it comes from', async () => {
  const page = await open('/networks');
  await page.getByRole('link', { name: 'bundled' }).waitFor();
  await page.getByText('not measured').first().waitFor();
  await page.getByRole('link', { name: 'bundled' }).click();
  await page.getByRole('heading', { name: 'bundled' }).waitFor();
  await page.getByText('Positions seen').waitFor();
  await page.getByText('Commit').waitFor();
  await picture(page, 'network');
  await page.getByRole('link', { name: 'Analyse with it' }).click();
  await page.waitForURL(/\/analyse\?net=default/);
});

test('a run appears without a reload and its curves grow', async () => {
  const page = await open('/runs');
  await page.getByText('No runs yet').waitFor();
  const folder = writeRun('mini-1', 5);
  await page.getByRole('link', { name: /mini-1/ }).waitFor();
  const chart = page.locator('.chart[data-metric="Policy loss"]');
  await until('five points are drawn', async () => (await chart.getAttribute('data-points')) === '5');
  for (let step = 6; step <= 40; step++) appendFileSync(join(folder, 'log.jsonl'), stepLine(20 * step));
  appendFileSync(join(folder, 'log.jsonl'), validationLine(800));
  await until('the new points arrive', async () => (await chart.getAttribute('data-points')) === '40');
  await chart.getByText('uniform 3.300').waitFor();
  await chart.getByText('held out 2.400').waitFor();
  await picture(page, 'runs');
  writeFileSync(join(folder, 'summary.json'), '{"ending":"finished"}');
  appendFileSync(join(folder, 'log.jsonl'), stepLine(1000));
  await page.locator('.run-state[data-status=done]').first().waitFor();
  writeRun('mini-2', 3);
  await page.getByRole('link', { name: /mini-2/ }).click();
  await page.getByRole('heading', { name: 'mini-2' }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const csv = readFileSync(await (await download).path(), 'utf8');
  assert.match(csv, /^kind,step,/);
  assert.equal(csv.split('\n').filter((line) => line.startsWith('train,')).length, 3);
});

test('match results are shown with their interval, and broken files are named', async () => {
  const folder = join(program.folder, 'results');
  mkdirSync(folder, { recursive: true });
  const player = (name: string) => ({ name, pace: '300 nodes', specification: name });
  const report = {
    conditions: { players: [player('new'), player('old')], openings: 'balanced', machine: 'test' },
    games: { wins: 142, draws: 171, losses: 87 },
    elo: { score: 0.569, elo: 48.1, lower: 24, upper: 72.5, superiority: 0.99 },
  };
  writeFileSync(join(folder, 'first.json'), JSON.stringify(report));
  writeFileSync(join(folder, 'close.json'), JSON.stringify({ ...report, elo: { ...report.elo, elo: 5, lower: -19, upper: 29 } }));
  writeFileSync(join(folder, 'broken.json'), '{');
  const page = await open('/results');
  await page.getByText('+48 (+24 to +73)').waitFor();
  await page.getByText('unclear: 0 is inside').waitFor();
  await page.getByText('142 / 171 / 87').first().waitFor();
  await page.getByText('broken', { exact: false }).first().waitFor();
  await picture(page, 'results');
});

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Faults that axe-core calls serious or critical. */
async function faults(page: Page): Promise<string[]> {
  // Playwright's evaluate is not bound by the page's content security policy.
  return page.evaluate(async (source) => {
    // eslint-disable-next-line no-eval
    (0, eval)(source);
    const axe = (globalThis as unknown as { axe: { run: (where: Document, options: object) => Promise<{ violations: Violation[] }> } }).axe;
    interface Violation {
      id: string;
      impact: string;
      nodes: { html: string; failureSummary: string }[];
    }
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(' | ')}`);
  }, AXE);
}

const SCREENS = ['/', '/analyse', '/networks', '/networks/default', '/runs', '/results'];

for (const theme of ['light', 'dark'] as const) {
  for (const [device, viewport] of [['desk', { width: 1280, height: 800 }], ['phone', { width: 390, height: 844 }]] as const) {
    test(`accessible and without sideways scroll: ${theme}, ${device}`, async () => {
      writeRun('mini-1', 30);
      const page = await open('/', { viewport, colorScheme: theme, reducedMotion: 'reduce', bypassCSP: true });
      for (const screen of SCREENS) {
        await page.goto(program.address + screen);
        await page.locator('h1').first().waitFor({ state: 'attached' });
        await page.waitForLoadState('networkidle');
        if (screen === '/analyse') {
          await page.keyboard.press('l');
          await page.locator('.arrow.net-a').first().waitFor({ state: 'attached' });
          await page.keyboard.press('l');
        }
        assert.deepEqual(await faults(page), [], `${screen} ${theme} ${device}`);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= viewport.width, `${screen} is ${width} wide on ${viewport.width}`);
        await picture(page, `${screen.replaceAll('/', '-').slice(1) || 'play'}-${theme}-${device}`);
      }
    });
  }
}

test('on a phone two taps move a piece and the five screens are in reach', async () => {
  const page = await open('/', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
  await page.waitForLoadState('networkidle');
  const squares = page.locator('.board-squares');
  const box = await squares.boundingBox();
  assert.ok(box && box.width >= 384, `the board is ${box?.width} wide`);
  const tap = async (column: number, row: number) => page.touchscreen.tap(box.x + ((column + 0.5) * box.width) / 8, box.y + ((row + 0.5) * box.height) / 8);
  await tap(4, 6);
  await tap(4, 4);
  await page.waitForURL(/\/play\/\d/);
  await yourTurn(page, 2);
  assert.equal((await game(page)).moves[0]?.san, 'e4');
  for (const name of ['Analyse', 'Networks', 'Runs', 'Results', 'Play']) {
    await page.getByRole('navigation').getByRole('link', { name }).tap();
    await page.locator('a[aria-current=page]', { hasText: name }).waitFor();
  }
});

test('the theme is kept and the first byte knows it', async () => {
  const page = await open('/');
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByText('Dark', { exact: true }).click();
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => getComputedStyle(document.body.parentElement as Element).backgroundColor), 'rgb(20, 22, 24)');
  const html = await (await page.request.get('/')).text();
  assert.match(html, /data-theme="dark"/);
});

test('the bundled network plays and analyses', async () => {
  const page = await open('/');
  await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
  await page.getByText('Nodes', { exact: true }).click();
  await click(page, 'd2');
  await click(page, 'd4');
  await page.waitForURL(/\/play\/\d/);
  const state = await yourTurn(page, 2);
  assert.equal(state.moves.length, 2);
  await drag(page, 'c2', 'c4');
  await yourTurn(page, 4);
  await picture(page, 'play-bundled');
  await page.goto(`${program.address}/analyse?moves=e2e4,e7e5,g1f3,b8c6,f1b5`);
  await page.keyboard.press('l');
  await until('it has searched', async () => Number(await page.locator('.engine-figures').getAttribute('data-nodes')) > 800);
  await picture(page, 'analyse-bundled');
});

test('an address that names nothing says so', async () => {
  expectFaults();
  const page = await open('/nonsense');
  await page.getByText('There is no page /nonsense.').waitFor();
  await page.goto(`${program.address}/runs/nonsense`);
  await page.getByText('There is no run nonsense.').waitFor();
});
