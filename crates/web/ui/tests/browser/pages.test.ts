import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessibilityFaults } from './accessibility.ts';
import { becomes, click, drag, fromMenu, game, picture, place, resign, settled, stage, until, yourTurn } from './harness.ts';

const { program, open, expectFaults } = stage();

/** Writes a training run as `tabiya train` has left it so far. */
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
  await page.getByRole('link', { name: 'default', exact: true }).waitFor();
  await page.getByText('not measured').first().waitFor();
  await page.getByRole('link', { name: 'default', exact: true }).click();
  await page.getByRole('heading', { name: 'default bundled' }).waitFor();
  await page.getByText('Positions seen').waitFor();
  await page.getByText('Commit', { exact: true }).waitFor();
  await page.getByText('how often White wins (W)').waitFor();
  await picture(page, 'network');
  await page.getByRole('link', { name: 'Analyse with it' }).click();
  await page.waitForURL(/\/analyse\?net=default/);
});

test('on a tablet the list of networks has room for its columns', async () => {
  const page = await open('/networks', { viewport: { width: 820, height: 1180 } });
  await page.getByRole('link', { name: 'analyse', exact: true }).first().waitFor();
  const widths = await settled(page, 'the list', () => page.getByRole('region', { name: 'Networks', exact: true }).evaluate((table) => [table.scrollWidth, table.clientWidth]));
  assert.equal(widths[0], widths[1]);
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
  await until('the lines have their names at their ends', async () => (await chart.getAttribute('data-ends')) === 'training, held out, uniform');
  await picture(page, 'runs');
  writeFileSync(join(folder, 'summary.json'), '{"ending":"finished"}');
  appendFileSync(join(folder, 'log.jsonl'), stepLine(1000));
  await page.locator('.run-state[data-status=done]').first().waitFor();
  writeRun('mini-2', 3);
  await page.getByRole('link', { name: /mini-2/ }).click();
  await page.getByRole('heading', { name: 'mini-2' }).waitFor();
  await until('its points are drawn', async () => (await chart.getAttribute('data-points')) === '3');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const csv = readFileSync(await (await download).path(), 'utf8');
  assert.match(csv, /^run,kind,step,/);
  assert.equal(csv.split('\n').filter((line) => line.startsWith('mini-2,train,')).length, 3);
  await page.getByRole('checkbox', { name: 'Draw mini-1' }).check();
  await page.waitForURL(/compare=mini-2%2Cmini-1/);
  await page.locator('.chart[data-metric="Policy loss"] .legend-run', { hasText: 'mini-1' }).waitFor();
  await page.getByText('The recipes are the same.').waitFor();
  await until('the lines have the names of their runs', async () => (await chart.getAttribute('data-ends')) === 'mini-2, mini-1, uniform');
  await page.getByText('Positions', { exact: true }).click();
  await page.waitForURL(/x=positions/);
  await page.getByRole('region', { name: 'Held-out values' }).getByText('2.400 (800)').waitFor();
  await picture(page, 'runs-compare');
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
  writeFileSync(join(folder, 'hollow.json'), '{"kind":"tabiya-match-1"}');
  writeFileSync(join(folder, 'hollow-suite.json'), '{"kind":"tabiya-suite-1","suites":[{}],"puzzles":[]}');
  const page = await open('/results');
  await page.getByText('+48 (+24 to +73)').waitFor();
  await page.getByText('inconclusive: contains 0').waitFor();
  await page.getByText('142 / 171 / 87').first().waitFor();
  await page.getByText('it has no conditions').waitFor();
  await page.getByText('broken', { exact: false }).first().waitFor();
  await picture(page, 'results');
  await page.getByRole('button', { name: 'Copy as Markdown' }).click();
  await page.getByText('Copied.').waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /\| first \| new · 300 nodes \| old · 300 nodes \| 400 \|/);
  await page.getByRole('link', { name: /new · 300 nodes against old · 300 nodes/ }).first().click();
  await page.getByText('400 games: 142 won, 171 drawn, 87 lost').waitFor();
  await page.getByText('tabiya match new old --games 400').waitFor();
  await page.goto(`${program.address}/results/suite/hollow-suite`);
  await page.getByText('This result cannot be shown').waitFor();
});

test('engines have short names in results, the rest is under Conditions, and a hash is copied in full', async () => {
  const folder = join(program.folder, 'results');
  mkdirSync(folder, { recursive: true });
  const hash = '0123456789abcdef'.repeat(4);
  const player = (specification: string) => ({ specification, name: 'PUCT with overnight int8 on cpu (avx512)', pace: '100 nodes', identity: [['network hash', hash]] });
  const report = {
    kind: 'tabiya-match-1',
    conditions: { players: [player('default,nodes=100'), player('net=runs/toy/network.tabiya,nodes=100,search=pvs')], openings: 'balanced', machine: 'test' },
    games: { wins: 14, draws: 17, losses: 8 },
    elo: { score: 0.569, elo: 48.1, lower: 24, upper: 72.5, superiority: 0.99 },
    terminations: [{ kind: 'checkmate', loser: 'second', games: 14 }],
  };
  writeFileSync(join(folder, 'named.json'), JSON.stringify(report));
  const page = await open('/results');
  await page.getByRole('link', { name: 'default · 100 nodes against toy · 100 nodes' }).click();
  await page.getByText('default · 100 nodes against toy · 100 nodes 57.7 %').waitFor();
  await page.getByText('checkmate, toy · 100 nodes loses').waitFor();
  const conditions = page.locator('.facts', { hasText: 'Machine' });
  await conditions.getByText('search=pvs: PUCT with overnight int8 on cpu').waitFor();
  assert.ok(!(await conditions.textContent())?.includes(hash), 'the hash is short');
  await page.getByRole('button', { name: 'Copy 01234567 in full' }).first().click();
  await until('it is copied in full', async () => (await page.evaluate(() => navigator.clipboard.readText())) === hash);
  await picture(page, 'match-names');
});

test('a ladder, a suite and a match at work are shown', async () => {
  const folder = join(program.folder, 'results');
  const line = (elo: number, wins: number, draws: number, losses: number) => ({
    opponent: `Stockfish ${elo}`,
    elo,
    games: { wins, draws, losses },
    difference: { elo: 10, lower: -30, upper: 50, superiority: 0.7 },
  });
  const ladder = {
    kind: 'tabiya-ladder-1',
    rating: { elo: 1480, lower: 1448, upper: 1512, games: 120 },
    levels: [line(1320, 30, 10, 10), line(1500, 20, 10, 22), line(1700, 2, 2, 14)],
  };
  mkdirSync(join(folder, 'evening'), { recursive: true });
  writeFileSync(join(folder, 'steps.json'), JSON.stringify(ladder));
  const share = { value: 0.5, lower: 0.4, upper: 0.6, samples: 80 };
  const answers = [{ id: 'WAC.001', fen: '8/8/4k3/8/4K3/4P3/8/8 w - - 0 1', played: 'e3e4', solved: false }];
  writeFileSync(join(folder, 'positions.json'), JSON.stringify({ kind: 'tabiya-suite-1', suites: [{ suite: 'wac', solved: share, answers }], puzzles: [] }));
  writeFileSync(join(folder, 'evening', 'games.jsonl'), '{}\n{}\n{}\n');
  const page = await open('/results');
  await page.getByText('is being played: 3 games so far').waitFor();
  appendFileSync(join(folder, 'evening', 'games.jsonl'), '{}\n');
  await page.getByText('4 games so far').waitFor();
  await page.getByRole('link', { name: 'steps' }).click();
  await page.getByText('Rating 1480 (95 %: 1448 to 1512), 120 games').waitFor();
  await becomes('every rung has a point', () => page.locator('.plot-point').count(), 3);
  await becomes('rungs with few games are hollow', () => page.locator('.plot-point circle.hollow').count(), 1);
  await picture(page, 'ladder');
  await page.goto(`${program.address}/results/suite/positions`);
  await page.getByText('wac: solved 50.0 % (95 %: 40.0 % to 60.0 %) of 80').waitFor();
  await page.getByText('1 not solved').click();
  await page.getByRole('link', { name: 'WAC.001' }).waitFor();
});

test('two networks are compared, and a file that is no network is refused', async () => {
  const page = await open('/networks');
  await page.getByRole('checkbox', { name: 'Compare default' }).check();
  await page.getByRole('checkbox', { name: 'Compare cnn' }).check();
  await page.getByRole('link', { name: 'Compare', exact: true }).click();
  await page.getByText(/the same first choice in/).waitFor();
  await becomes('eight boards are there', () => page.locator('.probes .mini-board').count(), 8);
  // A vertical line has no width, which counts as hidden.
  await page.locator('.probes .arrow.net-b').first().waitFor({ state: 'attached' });
  await picture(page, 'compare');
  await page.goto(`${program.address}/networks`);
  const choose = (name: string, content: string) => page.locator('.network-import input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });
  expectFaults();
  await choose('broken.tabiya', 'no network');
  await page.locator('.network-import .problem', { hasText: 'broken.tabiya is refused' }).waitFor();
  await choose('picture.png', 'no network');
  await page.locator('.network-import .problem', { hasText: 'ends in .tabiya, .onnx or .pb.gz' }).waitFor();
});

const SCREENS = [
  '/',
  '/play/games',
  '/analyse',
  '/analyse?tab=tree',
  '/analyse?tab=human',
  '/analyse?tab=openings',
  '/analyse?tab=review',
  '/networks',
  '/networks/default',
  '/networks/compare?a=default&b=material',
  '/runs',
  '/runs?table=1',
  '/results',
  '/results/ladder/steps',
  '/results/match/first',
];

for (const theme of ['light', 'dark'] as const) {
  for (const [device, viewport] of [['desk', { width: 1280, height: 800 }], ['phone', { width: 390, height: 844 }]] as const) {
    test(`accessible and without sideways scroll: ${theme}, ${device}`, async () => {
      writeRun('mini-1', 30);
      const page = await open('/', { viewport, colorScheme: theme, reducedMotion: 'reduce', bypassCSP: true });
      for (const screen of SCREENS) {
        await page.goto(program.address + screen);
        await page.locator('h1').first().waitFor({ state: 'attached' });
        await page.waitForLoadState('networkidle');
        if (screen.startsWith('/analyse')) {
          await page.keyboard.press('l');
          await page.locator('.arrow.net-a').first().waitFor({ state: 'attached' });
          await page.keyboard.press('l');
        }
        assert.deepEqual(await accessibilityFaults(page), [], `${screen} ${theme} ${device}`);
        const width = await settled(page, 'the width', () => page.evaluate(() => document.documentElement.scrollWidth));
        assert.ok(width <= viewport.width, `${screen} is ${width} wide on ${viewport.width}`);
        await picture(page, `${screen.split('&')[0]?.replaceAll(/[/?=]/g, '-').slice(1) || 'play'}-${theme}-${device}`);
      }
    });
  }
}

for (const theme of ['light', 'dark'] as const) {
  test(`a game, its end and the dialogs are accessible: ${theme}`, async () => {
    const page = await open('/', { colorScheme: theme, reducedMotion: 'reduce', bypassCSP: true });
    const check = async (what: string) => assert.deepEqual(await accessibilityFaults(page), [], `${what}, ${theme}`);
    const checkDialog = async (name: string | RegExp) => {
      await page.getByRole('dialog', { name }).waitFor();
      await check(`the dialog ${name}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
    await drag(page, 'e2', 'e4');
    await page.waitForURL(/\/play\/\d/);
    await yourTurn(page, 2);
    await check('a game');
    await resign(page);
    await page.getByText(/Accuracy: White \d+ %/).waitFor();
    await check('a finished game');
    for (const name of ['Settings', 'Keys']) {
      await page.getByRole('button', { name, exact: true }).click();
      await checkDialog(name);
    }
    await page.getByRole('link', { name: 'Review', exact: true }).click();
    await page.locator('.notation button.move').nth(1).click();
    for (const [entry, name] of [['Analyses', 'Analyses'], ['Import', 'Import'], ['Export', 'Export'], ['Editor', 'Board editor']] as const) {
      await fromMenu(page, entry);
      await checkDialog(name);
    }
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Comment and glyph of / }).click();
    await checkDialog(/^Comment on /);
  });
}

test('every screen is light to load', async () => {
  writeRun('light', 30);
  for (const screen of ['/', '/analyse', '/analyse?moves=e2e4,e7e5', '/networks', '/networks/default', '/runs/light', '/results']) {
    const page = await open(screen);
    await page.waitForLoadState('networkidle');
    const bytes = await page.evaluate(() => {
      const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
      const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
      return files.reduce((sum, file) => sum + file.transferSize, document?.transferSize ?? 0);
    });
    // The analysis is the heaviest screen: two boards of facts, charts and the tree come with it.
    const most = screen === '/' ? 90_000 : screen.startsWith('/analyse') ? 190_000 : 170_000;
    assert.ok(bytes <= most, `${screen} is ${bytes} bytes`);
    await page.context().close();
  }
});

test('on a phone two taps move a piece and the five screens are in reach', async () => {
  const page = await open('/', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
  await page.waitForLoadState('networkidle');
  const box = await place(page, '.board-squares');
  assert.ok(box.width >= 384, `the board is ${box.width} wide`);
  const tap = async (column: number, row: number) => page.touchscreen.tap(box.x + ((column + 0.5) * box.width) / 8, box.y + ((row + 0.5) * box.height) / 8);
  await tap(4, 6);
  await tap(4, 4);
  await page.waitForURL(/\/play\/\d/);
  await yourTurn(page, 2);
  assert.equal((await game(page)).moves[0]?.san, 'e4');
  const [dock, step] = [await place(page, '.dock'), await place(page, '.dock button')];
  assert.ok(step.y >= dock.y && step.y + step.height <= dock.y + dock.height, 'the steps are cut off');
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
  await becomes('the page is dark', () => page.evaluate(() => getComputedStyle(document.body.parentElement as Element).backgroundColor), 'rgb(20, 22, 24)');
  await until('the first byte is dark', async () => (await (await page.request.get('/')).text()).includes('data-theme="dark"'));
});

test('the bundled network plays and analyses', async () => {
  const page = await open('/');
  await page.getByRole('heading', { name: 'Move a piece to begin' }).waitFor();
  await page.getByRole('group', { name: 'Opponent' }).getByText('Network', { exact: true }).click();
  await click(page, 'd2');
  await click(page, 'd4');
  await page.waitForURL(/\/play\/\d/);
  const state = await yourTurn(page, 2);
  assert.equal(state.moves.length, 2);
  await page.locator('.player-name', { hasText: 'default' }).waitFor();
  await drag(page, 'c2', 'c4');
  await yourTurn(page, 4);
  await picture(page, 'play-bundled');
  await page.goto(`${program.address}/analyse?moves=e2e4,e7e5,g1f3,b8c6,f1b5`);
  await page.locator('h1').first().waitFor({ state: 'attached' });
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
