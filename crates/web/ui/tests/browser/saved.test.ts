/** Pictures and films that the reader saves. */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { fromMenu, stage, until } from './harness.ts';

const { open, program } = stage(['--net', 'material']);

const FEN = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** How many pixels of each square of a picture differ from the one in the middle of its upper edge. */
async function inkOf(page: Page, png: Buffer, squares: [number, number][]): Promise<number[]> {
  return await page.evaluate(
    async ([address, places]) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      context.drawImage(image, 0, 0);
      const side = image.width / 8;
      return places.map(([column, row]) => {
        // Without the coordinates at two edges.
        const { data } = context.getImageData((column + 0.25) * side, (row + 0.1) * side, side / 2, side * 0.7);
        let differ = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at] !== data[0] || data[at + 1] !== data[1] || data[at + 2] !== data[2]) differ += 1;
        return differ;
      });
    },
    [`data:image/png;base64,${png.toString('base64')}`, squares] as const,
  );
}

test('the board is saved as a picture, with its pieces and arrows', async () => {
  const page = await open('/analyse?moves=e2e4,e7e5&ply=1');
  await until('the arrow of the game is drawn', async () => (await page.locator('.arrow.stroke.played').count()) === 1);
  const download = page.waitForEvent('download');
  await fromMenu(page, 'Save a picture');
  const file = await download;
  assert.equal(file.suggestedFilename(), 'board-1.png');
  const png = readFileSync(await file.path());
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1024, 1024]);
  await page.getByText('Picture saved.').waitFor();
  const [rook = 0, pawn = 0, arrow = 0, empty = -1] = await inkOf(page, png, [[0, 0], [4, 4], [4, 2], [0, 4]]);
  assert.ok(rook > 500 && pawn > 500, `pieces: ${rook}, ${pawn}`);
  assert.ok(arrow > 100, `the arrow crosses e6: ${arrow}`);
  assert.equal(empty, 0, 'an empty square is empty');
});

test('a training that was watched is saved as a film', async () => {
  const folder = join(program.folder, 'runs/filmed');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'recipe.toml'), '[training]\nsteps = 1000\nbatch = 64\n');
  writeFileSync(join(folder, 'log.jsonl'), `${JSON.stringify({ kind: 'step', step: 800, policy_loss: 2.5, value_loss: 1, positions_per_second: 900 })}\n`);
  const probe = (step: number, uci: string) => JSON.stringify({ step, positions: [{ name: 'First move', fen: FEN, wdl: [0.3, 0.4, 0.3], moves: [[uci, 0.6]] }] });
  writeFileSync(join(folder, 'probes.jsonl'), `${probe(0, 'a2a4')}\n${probe(800, 'e2e4')}\n`);
  const page = await open('/runs/filmed');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as a film' }).click();
  const file = await download;
  assert.equal(file.suggestedFilename(), 'filmed.svg');
  const svg = readFileSync(await file.path(), 'utf8');
  // A picture with a fault in its text cannot be decoded.
  const width = await page.evaluate(async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    return image.naturalWidth;
  }, `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
  assert.ok(width > 200, `${width}`);
  const count = (pattern: RegExp) => [...svg.matchAll(pattern)].length;
  assert.deepEqual([count(/<use /g), count(/<image [^>]*href="data:image\/svg\+xml/g), count(/<animate /g)], [32, 12, 2]);
  assert.deepEqual([...svg.matchAll(/<line class="arrow net-a" data-uci="([^"]+)"/g)].map(([, uci]) => uci), ['a2a4', 'e2e4']);
  assert.match(svg, /\.net-a \{/);
  assert.match(svg, /filmed, step 0.*filmed, step 800.*plays e4 since step 800/s);
});
