import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes, picture, place, settled, stage, until } from './harness.ts';
import { zstdFrame } from './zstd-frame.ts';

const { program, open } = stage();

async function send<T>(path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${program.address}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return (await answer.json()) as T;
}

async function mateInOne(): Promise<void> {
  const game = await send<{ id: string }>('/games', { nodes: 1, fen: '7k/R7/8/8/8/8/8/1R2K3 w - - 0 1' });
  await send(`/games/${game.id}/moves`, { ply: 0, uci: 'b1b8' });
}

test('games become personal games only if the reader wishes it, and go when they are deleted', async () => {
  const folder = join(program.folder, 'personal');
  await mateInOne();
  const page = await open('/');
  const settings = async () => page.getByRole('button', { name: 'Settings' }).click();
  await settings();
  await page.getByText('None kept so far').waitFor();
  assert.equal(existsSync(folder), false, 'nobody has consented');
  const wish = page.getByRole('checkbox', { name: /Keep the games I play here/ });
  assert.equal(await wish.isChecked(), false);
  await wish.check();
  await until('the wish is kept', async () => existsSync(join(folder, 'personal.json')));
  await mateInOne();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await settings();
  await page.getByText('1 game in').waitFor();
  await picture(page, 'settings-personal');
  await page.getByRole('button', { name: 'Delete them' }).click();
  await page.getByRole('button', { name: 'Keep them' }).click();
  assert.equal(existsSync(folder), true);
  await page.getByRole('button', { name: 'Delete them' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('None kept so far').waitFor();
  assert.equal(existsSync(folder), false);
  await becomes('no game is wished for', () => wish.isChecked(), false);
});

function generation(step: number, elo: number | null): string {
  const interval = elo === null ? {} : { elo, elo_lower: elo - 50, elo_upper: elo + 50 };
  const selfplay = { games: 200, plies: 88.4, white: 0.25, drawn: 0.5, black: 0.25, surprise: 0.7, gate_score: 0.5, took_over: elo === null ? 0 : 1, ...interval };
  return `${JSON.stringify({ kind: 'step', step, selfplay })}\n`;
}

test('the generations of a self-play run are listed while it goes on', async () => {
  const folder = join(program.folder, 'runs', 'toy');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'log.jsonl'), generation(1, 70) + generation(2, null));
  const page = await open('/runs/toy');
  const table = page.getByRole('region', { name: 'Generations' });
  await table.getByText('+70 (+20 to +120)').waitFor();
  await table.getByText('rejected').waitFor();
  await table.getByText('25 % / 50 % / 25 %').first().waitFor();
  appendFileSync(join(folder, 'log.jsonl'), generation(3, -12));
  await table.getByText('\u221212 (\u221262 to +38)').waitFor();
  await becomes('every generation has a row', () => table.locator('tbody tr').count(), 3);
  await picture(page, 'runs-generations');
});

const PROBED = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

function probe(step: number, uci: string, win: number): string {
  const sight = { name: 'First move', fen: PROBED, wdl: [win, 0.5, 0.5 - win], moves: [[uci, 0.6], ['g1f3', 0.1]] };
  return `${JSON.stringify({ step, positions: [sight] })}\n`;
}

function trained(name: string, policyLoss: number, blocks: number, steps = 40): string {
  const folder = join(program.folder, 'runs', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'recipe.toml'), `[training]\nsteps = 1000\nbatch = 64\n\n[network]\nblocks = ${blocks}\n`);
  const lines = Array.from({ length: steps }, (_, index) => JSON.stringify({ kind: 'step', step: 20 * (index + 1), policy_loss: 3 - index / 100, value_loss: 1, positions_per_second: 900 }));
  writeFileSync(join(folder, 'log.jsonl'), `${lines.join('\n')}\n`);
  writeFileSync(join(folder, 'summary.json'), JSON.stringify({ ending: 'finished', step: 20 * steps, validation: { policy_loss: policyLoss, top1: 0.4, value_loss: 0.8 } }));
  return folder;
}

test('a training is watched: a slider over its validations, boards that change with it', async () => {
  const folder = trained('watched', 2.1, 4);
  writeFileSync(join(folder, 'probes.jsonl'), probe(0, 'a2a4', 0.25) + probe(400, 'd2d4', 0.3) + probe(800, 'e2e4', 0.4));
  const page = await open('/runs/watched');
  const board = page.locator('.learning .mini-board');
  await becomes('the newest moment is shown', () => board.getAttribute('aria-label'), 'First move: e2e4 60 %, g1f3 10 %');
  await page.getByText('step 800', { exact: true }).waitFor();
  await picture(page, 'watch-it-learn');
  const slider = page.getByRole('slider', { name: 'Moment of the training' });
  await slider.focus();
  await page.keyboard.press('Home');
  await until('the first moment is shown', async () => (await board.getAttribute('aria-label')) === 'First move: a2a4 60 %, g1f3 10 %');
  await page.getByText('W 25 D 50 L 25').waitFor();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByText('step 800', { exact: true }).waitFor();
  // A reader at the newest moment sees the next one as it arrives.
  await page.keyboard.press('Tab');
  appendFileSync(join(folder, 'probes.jsonl'), probe(820, 'c2c4', 0.4));
  appendFileSync(join(folder, 'log.jsonl'), `${JSON.stringify({ kind: 'step', step: 820, policy_loss: 2.5, positions_per_second: 900 })}\n`);
  await slider.focus();
  await page.keyboard.press('End');
  await until('the newest moment is in reach', async () => {
    await page.keyboard.press('End');
    return (await board.getAttribute('aria-label')) === 'First move: c2c4 60 %, g1f3 10 %';
  });
});

test('the boards of a run come before its charts, tick the right move and say since when it is found', async () => {
  const folder = trained('mating', 2.1, 4);
  const mate = (step: number, uci: string) => `${JSON.stringify({ step, positions: [{ name: 'Mate in one', fen: '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1', wdl: [0.9, 0.05, 0.05], moves: [[uci, 0.6], ['g1f1', 0.1]] }] })}\n`;
  writeFileSync(join(folder, 'probes.jsonl'), mate(0, 'd1d7') + mate(400, 'd1d8') + mate(800, 'd1d8'));
  const page = await open('/runs/mating');
  const sentence = page.locator('.learning .sight-sentence');
  await becomes('the step from which on it is found', () => sentence.textContent(), 'finds the mate since step 400');
  await becomes('the right move has a tick', () => page.locator('.learning .mini-tick').count(), 1);
  const slider = page.getByRole('slider', { name: 'Moment of the training' });
  await slider.focus();
  await page.keyboard.press('Home');
  await becomes('the first moment knows nothing of the later ones', () => sentence.textContent(), 'plays Rd7, not yet the mate');
  const [boards, chart] = [await place(page, '.learning'), await place(page, '.chart')];
  assert.ok(boards.y + boards.height <= chart.y, 'the boards are above the charts');
  await picture(page, 'learning-first');
});

test('a part of a chart that somebody chose stays while points arrive', async () => {
  const folder = trained('zoomed', 2.0, 6);
  const page = await open('/runs/zoomed');
  const chart = page.locator('.chart[data-metric="Policy loss"]');
  await until('the points are there', async () => (await chart.getAttribute('data-points')) === '40');
  const range = () => chart.getAttribute('data-range');
  const whole = await settled(page, 'the points on the chart', range, (found) => found !== null);
  const box = await place(page, chart.locator('.u-over'));
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 50, { steps: 5 });
  await page.mouse.up();
  const part = await settled(page, 'a part', range, (found) => found !== whole);
  for (let step = 41; step <= 45; step++) appendFileSync(join(folder, 'log.jsonl'), `${JSON.stringify({ kind: 'step', step: 20 * step, policy_loss: 2.5, positions_per_second: 900 })}\n`);
  await until('the new points are there', async () => (await chart.getAttribute('data-points')) === '45');
  assert.equal(await settled(page, 'the chart with them', range), part);
});

test('charts are pinned and moved by the reader, who finds them so again', async () => {
  trained('arranged', 2.0, 6);
  const page = await open('/runs/arranged');
  const names = () => page.locator('.chart').evaluateAll((all) => all.map((one) => one.getAttribute('data-metric')).join(', '));
  await becomes('the usual order', names, 'Policy loss, Value loss, Positions per second');
  await page.getByRole('button', { name: 'Pin Positions per second' }).click();
  await becomes('the pinned one comes first', names, 'Positions per second, Policy loss, Value loss');
  const later = page.getByRole('button', { name: 'Move Policy loss later' });
  await later.focus();
  await page.keyboard.press('Enter');
  await becomes('the next one comes before it', names, 'Positions per second, Value loss, Policy loss');
  await becomes('the button keeps the focus', () => later.evaluate((button) => button === document.activeElement), true);
  await page.reload();
  await becomes('the order is remembered', names, 'Positions per second, Value loss, Policy loss');
  await becomes('the pin is remembered', () => page.getByRole('button', { name: 'Pin Positions per second' }).getAttribute('aria-pressed'), 'true');
  await picture(page, 'charts-arranged');
  await page.getByRole('button', { name: 'Usual order' }).click();
  await becomes('the usual order is back', names, 'Policy loss, Value loss, Positions per second');
});

test('what stands under the pointer moves no chart', async () => {
  trained('hovered', 2.0, 6);
  const page = await open('/runs/hovered', { viewport: { width: 1000, height: 700 } });
  const chart = page.locator('.chart[data-metric="Policy loss"]');
  await until('the points are there', async () => (await chart.getAttribute('data-points')) === '40');
  // Parts that are drawn once the curves are there come after them: the other charts, and the notes below them all.
  await page.getByLabel('Notes').waitFor();
  await until('all charts are drawn', async () => (await page.locator('.chart:not([data-range])').count()) === 0);
  const places = () => page.locator('.chart').evaluateAll((all) => all.map((one) => JSON.stringify(one.getBoundingClientRect())));
  const before = await settled(page, 'the charts', places, (all) => all.length >= 3);
  const box = await place(page, chart.locator('.u-over'));
  let told = '';
  for (const share of [0.2, 0.5, 0.9]) {
    await page.mouse.move(box.x + share * box.width, box.y + 50);
    await until('the chart tells the step under the pointer', async () => {
      const text = (await chart.locator('.legend-at').allTextContents()).join();
      const tells = text !== told && /^at [\d,]+ steps$/.test(text);
      if (tells) told = text;
      return tells;
    });
    assert.deepEqual(await places(), before);
  }
});

test('notes are kept with a run, and all runs stand in one table by metric and key', async () => {
  trained('small', 2.6, 2);
  trained('large', 1.9, 10);
  const page = await open('/runs/small');
  await page.getByLabel('Notes').fill('too small, as expected\nsecond line');
  await page.getByRole('button', { name: 'Save notes' }).click();
  await page.getByText('Saved.').waitFor();
  await page.reload();
  await becomes('the notes are there again', () => page.getByLabel('Notes').inputValue(), 'too small, as expected\nsecond line');
  await page.getByRole('link', { name: 'All as a table' }).click();
  const table = page.getByRole('region', { name: 'All runs' });
  await table.getByText('too small, as expected').waitFor();
  await table.getByRole('button', { name: 'network.blocks' }).waitFor();
  await table.getByRole('button', { name: 'policy loss' }).click();
  const names = async () => (await table.locator('tbody th').allTextContents()).filter((name) => name === 'small' || name === 'large');
  await until('the best comes first', async () => (await names()).join() === 'large,small');
  await table.getByRole('button', { name: 'network.blocks' }).click();
  await until('numbers are compared as numbers', async () => (await names()).join() === 'small,large');
  await picture(page, 'runs-table');
});

test('all runs are lines through their keys; pointing and picking go together with the table', async () => {
  for (const [name, loss, blocks] of [['through-2', 2.9, 2], ['through-4', 1.7, 4], ['through-8', 2.3, 8]] as const) trained(name, loss, blocks);
  const page = await open('/runs?table=1', { viewport: { width: 1440, height: 900 } });
  await page.getByLabel('Filter').fill('through');
  const lines = page.locator('.parallel-line');
  await becomes('one line for each run that the filter finds', () => lines.count(), 3);
  await becomes('the best stands out', () => page.locator('.parallel-line[data-rank="1"]').getAttribute('data-run'), 'through-4');
  const row = (name: string) => page.locator('.runs-table tbody tr', { hasText: name });
  await row('through-8').hover();
  await becomes('its line is marked', () => page.locator('.parallel-line[data-rank="3"]').getAttribute('data-run'), 'through-8');
  await page.mouse.move(0, 0);
  await becomes('none is marked', () => page.locator('.parallel-line[data-rank="3"]').count(), 0);
  const reach = page.locator('.parallel-reach[data-run="through-8"]');
  await reach.hover();
  await becomes('the row of the line under the pointer is marked', () => page.locator('.runs-table tr[data-hovered] a').allTextContents(), ['through-8']);
  await reach.click();
  await becomes('a click picks it', () => page.getByRole('checkbox', { name: 'Pick through-8' }).isChecked(), true);
  await page.getByRole('checkbox', { name: 'Pick through-2' }).check();
  await page.getByText('2 picked').waitFor();
  await picture(page, 'runs-parallel');
  await page.locator('.parallel').getByText('top 1', { exact: true }).click();
  await becomes('the drawing is of another result', () => page.locator('.parallel-title').last().textContent(), 'top 1top 1');
  await page.getByRole('link', { name: 'Their curves' }).click();
  await page.waitForURL(/compare=through-8%2Cthrough-2/);
  await page.locator('.chart[data-metric="Policy loss"] .legend-run', { hasText: 'through-2' }).waitFor();
});

test('the curves of a row of charts are at one height, however long the legends are', async () => {
  const names = ['first-of-three-runs-with-a-long-name', 'second-of-three-runs-with-a-long-name', 'third-of-three-runs-with-a-long-name'];
  for (const name of names) {
    const folder = trained(name, 2.1, 4);
    appendFileSync(join(folder, 'log.jsonl'), `${JSON.stringify({ kind: 'validation', step: 800, validation: { policy_loss: 2.2, value_loss: 0.9, top1: 0.4, baselines: { policy_loss: 3 } } })}\n`);
  }
  const page = await open(`/runs?compare=${names.join(',')}`);
  const charts = () =>
    page.locator('.chart').evaluateAll((all) =>
      all.map((one) => {
        const top = (part: Element | null) => Math.round(part?.getBoundingClientRect().top ?? -1);
        return [top(one), top(one.querySelector('canvas')), Math.round(one.querySelector('figcaption')?.getBoundingClientRect().height ?? 0)];
      }),
    );
  const places = await settled(page, 'the charts', charts, (all) => all.length >= 3 && all.every(([, canvas = -1]) => canvas >= 0));
  const rows = [...new Set(places.map(([top]) => top))].map((top) => places.filter(([of]) => of === top));
  assert.ok(rows.some((row) => new Set(row.map(([, , legend]) => legend)).size > 1), `legends of one height show nothing: ${JSON.stringify(places)}`);
  for (const row of rows) assert.equal(new Set(row.map(([, canvas]) => canvas)).size, 1, JSON.stringify(row));
});

/** The lightest pixel of a vertical line through a picture, from 0 to 255: letters are dark, but no line is full of them. */
async function lightest(page: Page, png: Buffer, x: number, height: number): Promise<number> {
  return page.evaluate(
    async ([text, at, to]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${text}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      context.drawImage(image, 0, 0);
      return context.getImageData(at, 4, 1, to - 4).data.reduce((most, value, index) => (index % 4 === 0 ? Math.max(most, value) : most), 0);
    },
    [png.toString('base64'), x, height] as const,
  );
}

for (const width of [360, 390]) {
  test(`at ${width} px the table of runs is in shadow where it goes on, and its names stay in sight`, async () => {
    for (const [name, blocks] of [['narrow', 12], ['narrower', 13]] as const) trained(name, 2.2, blocks);
    const page = await open('/runs?table=1', { viewport: { width, height: 780 }, hasTouch: true, isMobile: true, colorScheme: 'light' });
    const table = page.getByRole('region', { name: 'All runs' });
    await table.getByText('2.2000').first().waitFor();
    // The keys of the runs arrive one after another, and each may add a column.
    await page.waitForLoadState('networkidle');
    const size = () => table.evaluate((box) => [box.scrollWidth, box.clientWidth, box.scrollHeight]);
    await settled(page, 'the keys of all runs', size, ([all = 0, seen = 0]) => all > seen + 40);
    // Only the head: the rest may be under the links of the page.
    const edge = async () => lightest(page, await table.screenshot(), width - 24 - 4, 24);
    const name = table.locator('tbody th').first();
    const before = (await place(page, name)).x;
    await picture(page, `runs-table-${width}`);
    const [begin, end] = [await edge(), await table.evaluate((box) => box.scrollTo(box.scrollWidth, 0)).then(edge)];
    assert.ok(begin < end - 20, `${begin} where it goes on, ${end} where it ends`);
    assert.equal((await place(page, name)).x, before);
  });
}

/** A line of a training log with the lengths of two layers, one of which stops learning. */
function measured(step: number): string {
  const layers = { 'block1.first': { gradient: 0.5, update: 0.01, weights: 8 }, 'block10.first': { gradient: 0.5 / step, update: 0.0001, weights: 10 } };
  return JSON.stringify({ kind: 'step', step, policy_loss: 2, value_loss: 1, positions_per_second: 900, busy_cores: 1.75, resident_bytes: 512e6, ...(step % 200 === 0 && { layers }) });
}

test('gradients by layer, cores and memory are curves while a training runs', async () => {
  const folder = join(program.folder, 'runs', 'layered');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'recipe.toml'), '[training]\nsteps = 1000\nbatch = 64\n');
  const lines = (from: number, to: number) => Array.from({ length: (to - from) / 20 }, (_, index) => `${measured(from + 20 * (index + 1))}\n`).join('');
  writeFileSync(join(folder, 'log.jsonl'), lines(0, 400));
  const page = await open('/runs/layered');
  const chart = (name: string) => page.locator(`.chart[data-metric="${name}"]`);
  await chart('Cores in use').getByText('training 1.750').waitFor();
  await chart('Memory, MB').getByText('training 512.0').waitFor();
  assert.equal(await chart('GPU in use').count(), 0, 'a run without a GPU has no empty chart of one');
  const layers = page.locator('.layer');
  await becomes('both layers are there', () => layers.evaluateAll((all) => all.map((one) => one.getAttribute('data-layer'))), ['block1.first', 'block10.first']);
  const dying = page.getByRole('img', { name: /^block10\.first: / });
  await becomes('the layer tells its gradient', () => dying.getAttribute('aria-label'), 'block10.first: 0.00125');
  const points = async () => ((await layers.last().locator('.layer-curve').getAttribute('d')) ?? '').split('L').length;
  await becomes('two points are drawn', points, 2);
  // Both curves are on one axis: the layer that learns stays above the one that stops.
  const ends = () => layers.locator('.layer-curve').evaluateAll((all) => all.map((one) => Number((one.getAttribute('d') ?? '').split(' ').at(-1))));
  const heights = await settled(page, 'both curves', ends, (all) => all.length === 2);
  assert.ok((heights[0] ?? 100) < (heights[1] ?? 0), heights.join());
  appendFileSync(join(folder, 'log.jsonl'), lines(400, 800));
  await until('new points arrive', async () => (await points()) === 4);
  await page.getByText('Step / weights', { exact: true }).click();
  await until('the step is told as a share of the weights', async () => (await dying.getAttribute('aria-label')) === 'block10.first: 1.0e-5');
  const box = await place(page, layers.first().locator('svg'));
  await page.mouse.move(box.x + 1, box.y + 10);
  await page.getByText('at 200 steps').waitFor();
  await picture(page, 'layers');
  // For a log of an older version, which has no such numbers, there is no empty place for them.
  trained('old', 2.2, 3);
  await page.goto(`${program.address}/runs/old`);
  await page.locator('.chart[data-metric="Policy loss"]').waitFor();
  await page.getByLabel('Notes').waitFor();
  assert.equal(await page.locator('.layers').count() + (await chart('Memory, MB').count()), 0);
});

test('a run that has not ended stands in the table with its newest validation, and words find runs by their keys', async () => {
  const folder = join(program.folder, 'runs', 'unfinished');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'recipe.toml'), '[training]\nsteps = 1000\nbatch = 64\n\n[network]\nblocks = 77\n');
  const validation = (step: number, policyLoss: number) => `${measured(step)}\n${JSON.stringify({ kind: 'validation', step, validation: { policy_loss: policyLoss, top1: 0.25, value_loss: 0.9, baselines: {} } })}\n`;
  writeFileSync(join(folder, 'log.jsonl'), validation(100, 3.125));
  trained('ended', 2.5, 7);
  const page = await open('/runs?table=1');
  const row = page.getByRole('region', { name: 'All runs' }).locator('tbody tr', { hasText: 'unfinished' });
  await row.getByText('3.1250').waitFor();
  await page.getByText('In italics: the newest validation').waitFor();
  appendFileSync(join(folder, 'log.jsonl'), validation(200, 2.875));
  await row.getByText('2.8750').waitFor();
  await page.getByLabel('Filter').fill('blocks=77');
  const rows = page.getByRole('region', { name: 'All runs' }).locator('tbody tr');
  await until('one is left', async () => (await rows.count()) === 1);
  await page.getByLabel('Filter').fill('blocks=7');
  await until('seven is not seventy-seven', async () => (await rows.locator('th').allTextContents()).join() === 'ended');
});

test('a run that was stopped promises no time, and then says that it has stopped', async () => {
  const folder = join(program.folder, 'runs', 'killed');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'recipe.toml'), '[training]\nsteps = 1000\nbatch = 64\n');
  const log = join(folder, 'log.jsonl');
  writeFileSync(log, `${measured(100)}\n${measured(200)}\n`);
  const page = await open('/runs/killed');
  const headline = page.locator('.run-headline');
  await headline.getByText(/about \d+ minutes? left/).waitFor();
  const ago = (seconds: number) => utimesSync(log, new Date(Date.now() - 1000 * seconds), new Date(Date.now() - 1000 * seconds));
  ago(90);
  await page.reload();
  await headline.getByText(/nothing new for \d+ seconds: it may have been stopped/).waitFor();
  ago(600);
  await headline.getByText('stopped 20 %').waitFor();
  await page.getByText('tabiya train RECIPE --name killed --resume', { exact: true }).waitFor();
});

test('the latest game of a self-play run is on a board, and the command to go on is the right one', async () => {
  const folder = join(program.folder, 'runs', 'itself');
  const games = join(folder, 'replay/games/00002');
  mkdirSync(games, { recursive: true });
  writeFileSync(join(folder, 'log.jsonl'), generation(1, 70));
  const played = (uci: string, win: number) => ({ move: uci, search: { value: [win, 0, 1 - win] } });
  const stored = { id: { generation: 2, worker: 'w', number: 0 }, start: PROBED, moves: [played('f2f3', 0.5), played('e7e5', 0.6), played('g2g4', 0.3), played('d8h4', 1)], winner: 'black' };
  writeFileSync(join(games, 'w-000000.json.zst'), zstdFrame(JSON.stringify(stored)));
  const page = await open('/runs/itself');
  const board = page.locator('.latest-game .mini-board');
  await page.getByText('Latest game, of generation 2: 0-1 after 2 moves').waitFor();
  await becomes('the last position is shown', () => board.getAttribute('aria-label'), 'The game after 2... Qh4#');
  await page.getByRole('slider', { name: 'Half-move of the game' }).focus();
  await page.keyboard.press('Home');
  await until('the start is shown', async () => (await board.getAttribute('aria-label')) === 'The game after the start');
  await page.getByText('50 % for White').waitFor();
  await picture(page, 'selfplay-game');
  const old = new Date(Date.now() - 3600_000);
  for (const path of [join(folder, 'log.jsonl'), games]) utimesSync(path, old, old);
  await page.getByText('tabiya selfplay RECIPE --name itself', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Analyse', exact: true }).last().click();
  await page.locator('.notation button.move', { hasText: 'Qh4#' }).waitFor();
});

test('forty runs are lines and rows, and words leave some of them', async () => {
  for (let index = 0; index < 40; index++) trained(`many-${index}`, 1.5 + index / 40, 4 * (1 + (index % 4)), 2);
  const page = await open('/runs?table=1', { viewport: { width: 1440, height: 900 } });
  const [lines, rows] = [page.locator('.parallel-line'), page.locator('.runs-table tbody tr')];
  const counts = async () => [await lines.count(), await rows.count()];
  await page.getByLabel('Filter').fill('many-');
  await becomes('every run is a line and a row', counts, [40, 40]);
  await becomes('the best stands out', () => page.locator('.parallel-line[data-rank="1"]').getAttribute('data-run'), 'many-0');
  await page.getByLabel('Filter').fill('many-1');
  await becomes('those with 1 and 10 to 19 are left', counts, [11, 11]);
  await becomes('the best of them stands out', () => page.locator('.parallel-line[data-rank="1"]').getAttribute('data-run'), 'many-1');
  await picture(page, 'runs-forty');
});
