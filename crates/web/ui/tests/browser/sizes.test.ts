/** Promises of the page, each at six sizes, in light and dark, with a long game, two networks and a running training. */

import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { SIZES, device, picture, settled, stage, until } from './harness.ts';
import { layoutShifts, totalOf } from './layout-shift.ts';
import { zstdFrame } from './zstd-frame.ts';

const { open, program } = stage(['--net', 'material']);

/** 58 moves of two club players. */
const MOVES =
  'e2e4,e7e5,f2f4,e5f4,g1f3,g8e7,f1c4,d7d5,e4d5,e7d5,e1g1,c8e6,f1e1,f8e7,d1e2,e8g8,c4d5,d8d5,b1c3,d5d8,d2d3,f8e8,c1f4,e7c5,d3d4,c5d4,f3d4,d8d4,f4e3,d4b4,a2a3,b4b2,c3a4,b2f6,a4c5,e6c8,a1d1,b8c6,e3g5,e8e2,e1e2,c8g4,g5f6,g7f6,d1e1,g4e2,e1e2,g8f8,c5b7,a8b8,b7c5,b8b5,c5e4,f8g7,e2f2,f6f5,e4c3,b5c5,c3a4,c5c4,a4b2,c4c3,a3a4,c6d4,b2d3,c3c2,f2c2,d4c2,g1f2,g7f6,f2f3,c2d4,f3e3,d4e6,d3b4,e6c5,b4d5,f6e5,d5c7,c5a4,c7b5,a7a6,b5c7,a4c5,c7a8,c5e6,a8b6,f5f4,e3f3,f7f5,b6c4,e5d5,c4b2,a6a5,b2a4,d5c4,a4b6,c4b3,b6d5,a5a4,d5f4,e6f4,f3f4,a4a3,f4f5,a3a2,f5f6,a2a1q,f6f7,a1b2,f7g8,b2g2,g8h7,g2h2,h7g8,h2c7';
/** The half-move that loses most, known once the review is there. */
let worst = 0;
/** The same game, played here to its end. */
let finished = '';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const GAME = `/analyse?moves=${MOVES}&white=Anna&black=Bert`;

interface Promised {
  /** Its point in the list of what the page is for. */
  point: string;
  path: string;
  /** The element that must be there, in the document if not in sight. */
  shows: string;
  /** Done before the page is checked. */
  first?: (page: Page) => Promise<void>;
}

const engineOn = async (page: Page) => {
  if ((await page.locator('.engine-switch').getAttribute('aria-label')) === 'Analyse') await page.keyboard.press('l');
};

const allMoves = async (page: Page) => {
  await engineOn(page);
  await page.locator('.move-table tbody tr').nth(3).waitFor();
  // If there is room, they are there without a click.
  await until('every move has a row', async () => {
    const more = page.locator('.all-moves[aria-pressed=false]');
    if ((await more.count()) > 0) await more.click({ timeout: 5000 }).catch(() => undefined);
    return (await page.locator('.move-table tbody tr').count()) === 20;
  });
};

const promises = (): Promised[] => [
  { point: 'one point of view, Black to move', path: '/analyse?moves=e2e4&nodes=100', shows: '.headline b', first: engineOn },
  { point: 'two networks', path: `${GAME}&ply=${worst}&net=material&net2=default&nodes=100`, shows: '.move-table .second:not(:empty)', first: engineOn },
  { point: 'a review that was not asked for again, and a mistake explained', path: `${GAME}&ply=${worst}`, shows: '.why-sentence:visible, .best-line:visible' },
  { point: 'every move of a search', path: `/analyse?fen=${encodeURIComponent(START)}&nodes=100`, shows: '.move-table tbody tr:nth-child(20)', first: allMoves },
  { point: 'a finished game with its review', path: `/play/${finished}`, shows: '.game-end .graph' },
  { point: 'a curve of a long game', path: `${GAME}&ply=60`, shows: '.graph polyline' },
  { point: 'openings', path: `${GAME}&ply=4&tab=openings`, shows: '.opening-tables' },
  { point: 'what only networks can say', path: `${GAME}&tab=review`, shows: '.portrait' },
  { point: 'people', path: `${GAME}&ply=6&tab=human`, shows: '.human-table button.move' },
  { point: 'a running training', path: '/runs/going', shows: '.layer svg' },
  { point: 'self-play and its latest game', path: '/runs/itself', shows: '.latest-game a' },
  { point: 'runs in a table', path: '/runs?table=1', shows: '.runs-table td.number' },
  // A phone has the interval only in words.
  { point: 'results', path: '/results', shows: '.match-table td.number:has-text("+48 (+24 to +73)")' },
  { point: 'opponents', path: '/', shows: '.level-strip' },
  // Phones have them folded.
  { point: 'a network', path: '/networks/cnn', shows: '.plane:visible, details:has(.plane) > summary:visible' },
  { point: 'compared networks', path: '/networks/compare?a=default&b=cnn', shows: '.probes .arrow-label' },
];

/** Lines of a training log. */
function lines(from: number, to: number): string {
  const norms = (scale: number) => ({ gradient: 0.3 * scale, update: 0.002 * scale, weights: 9 });
  const layers = (step: number) => Object.fromEntries(['input', 'policy.move', 'value.hidden', ...Array.from({ length: 12 }, (_, block) => `block${block + 1}.first`)].map((name, index) => [name, norms((1 + index / 3) / (1 + step / 500))]));
  let text = '';
  for (let step = from + 20; step <= to; step += 20) {
    const loss = 2 + 1.5 / (1 + step / 300);
    text += `${JSON.stringify({ kind: 'step', step, learning_rate: 1e-3, policy_loss: loss, value_loss: loss / 3, total_loss: loss, gradient_norm: 0.5, positions_per_second: 2400, busy_cores: 1.9, resident_bytes: 6e8, ...(step % 200 === 0 && { layers: layers(step) }) })}\n`;
    if (step % 400 === 0) text += `${JSON.stringify({ kind: 'validation', step, validation: { policy_loss: loss + 0.1, value_loss: loss / 3, top1: 0.3, value_error: 0.1, baselines: { policy_loss: 3.2, top1: 0.04, value_loss: 1, value_error: 0.3 } } })}\n`;
  }
  return text;
}

let timer: ReturnType<typeof setInterval> | undefined;

/** Makes a game with these moves, in the form in which the server keeps it, and returns its number. */
async function finishedGame(): Promise<string> {
  const ask = async (path: string, body: object) => (await fetch(`${program.address}/api/v1/games${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
  const { id } = (await ask('', { color: 'white', nodes: 1, network: 'material' })) as { id: string };
  await ask(`/${id}/moves`, { ply: 0, uci: 'e2e4' });
  await ask(`/${id}/resign`, {});
  const folder = join(program.folder, 'games');
  const record = JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8')) as Record<string, unknown>;
  const other = `${id}99`;
  writeFileSync(join(folder, `${other}.json`), JSON.stringify({ ...record, id: other, moves: MOVES.split(',').map((uci) => ({ uci, elapsed_ms: 1, clock_ms: null, wdl: null })) }));
  return other;
}

/** Makes a running training, a reviewed game and the result of a match, once. */
async function prepare(): Promise<void> {
  if (timer) return;
  const folder = join(program.folder, 'runs', 'going');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'recipe.toml'), '[training]\nsteps = 100000\nbatch = 256\n');
  writeFileSync(join(folder, 'log.jsonl'), lines(0, 4000));
  const sight = (step: number) => ({ step, positions: ['First move', 'A fork'].map((name) => ({ name, fen: START, wdl: [0.4, 0.3, 0.3], moves: [['e2e4', 0.6]] })) });
  writeFileSync(join(folder, 'probes.jsonl'), `${JSON.stringify(sight(400))}\n${JSON.stringify(sight(800))}\n`);
  const games = join(program.folder, 'runs', 'itself', 'replay', 'games', '00001');
  mkdirSync(games, { recursive: true });
  writeFileSync(join(program.folder, 'runs', 'itself', 'log.jsonl'), `${JSON.stringify({ kind: 'step', step: 1, selfplay: { games: 200, plies: 88.4, white: 0.25, drawn: 0.5, black: 0.25, surprise: 0.7, gate_score: 0.5, took_over: 0 } })}\n`);
  const played = ['f2f3', 'e7e5', 'g2g4', 'd8h4'].map((move) => ({ move, search: { value: [0.5, 0, 0.5] } }));
  writeFileSync(join(games, 'w-000000.json.zst'), zstdFrame(JSON.stringify({ id: { generation: 1, worker: 'w', number: 0 }, start: START, moves: played, winner: 'black' })));
  const player = (name: string) => ({ name, pace: '300 nodes', specification: name });
  const match = {
    conditions: { players: [player('default'), player('material')], openings: 'balanced', machine: 'test' },
    games: { wins: 142, draws: 171, losses: 87 },
    elo: { score: 0.569, elo: 48.1, lower: 24, upper: 72.5, superiority: 0.99 },
  };
  mkdirSync(join(program.folder, 'results'), { recursive: true });
  writeFileSync(join(program.folder, 'results', 'match.json'), JSON.stringify(match));
  let step = 4000;
  timer = setInterval(() => {
    appendFileSync(join(folder, 'log.jsonl'), lines(step, step + 20));
    step += 20;
  }, 700);
  finished = await finishedGame();
  // The game is reviewed once; every later page finds the review by the moves.
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ network: 'material', moves: MOVES.split(','), nodes: 50 }) };
  const begun = (await (await fetch(`${program.address}/api/v1/reviews`, request)).json()) as { id: string };
  await until('the game is reviewed', async () => {
    const view = (await (await fetch(`${program.address}/api/v1/reviews/${begun.id}`)).json()) as { white: unknown; points: { loss: number | null }[] };
    const losses = view.points.map((point) => point.loss ?? 0);
    worst = 1 + losses.indexOf(Math.max(...losses));
    return view.white !== null;
  });
}
after(() => clearInterval(timer));

/** Elements that scroll vertically inside a page or an element that does; and panels that hide what does not fit. */
function outOfReach(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (one: Element) => /auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1 && one.clientHeight > 0;
    const all = [...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && scrolls(one));
    const whole = document.documentElement.scrollHeight > innerHeight + 1;
    const nested = all.filter((one) => whole || all.some((other) => other !== one && other.contains(one)));
    const hiding = [...document.querySelectorAll('.panel')].filter((one) => getComputedStyle(one).overflowY === 'hidden' && one.scrollHeight > one.clientHeight + 1);
    return [...nested, ...hiding].map((one) => `${one.tagName} ${one.className}`);
  });
}

for (const size of SIZES) {
  const { width, height } = size;
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`all that is promised at ${width}x${height}, ${colorScheme}: nothing shifts, scrolls sideways or inside something that scrolls`, async () => {
      await prepare();
      const page = await open('/', { ...device(size), colorScheme });
      for (const { point, path, shows, first } of promises()) {
        await page.goto(program.address + path);
        await page.locator('h1').first().waitFor({ state: 'attached' });
        await first?.(page);
        await page.locator(shows).first().waitFor({ state: 'attached' });
        await page.waitForTimeout(400);
        const where = `${point} at ${width}x${height}, ${colorScheme}`;
        const shifts = (await layoutShifts(page)).filter(({ afterInput, reordered }) => !afterInput && !reordered);
        assert.ok(totalOf(shifts) < 0.02, `${where} shifts by ${totalOf(shifts)}: ${shifts.map(({ value, moved }) => `${value.toFixed(4)}: ${moved.join(', ')}`).join('; ')}`);
        assert.ok((await settled(page, 'the width', () => page.evaluate(() => document.documentElement.scrollWidth))) <= width, `${where} scrolls sideways`);
        assert.deepEqual(await settled(page, 'what scrolls', () => outOfReach(page)), [], where);
        await page.locator(shows).first().scrollIntoViewIfNeeded();
        await until(`${where}: ${shows} can be seen`, () => page.locator(shows).first().isVisible());
        // The engine would go on at the next address, where every figure that changes has another width.
        if (first) await page.keyboard.press('l');
        await picture(page, `${path.split('?')[0]?.slice(1).replaceAll('/', '-') || 'play'}-${point.split(/[ ,]/).slice(0, 3).join('-')}-${width}-${colorScheme}`);
      }
    });
  }
}
