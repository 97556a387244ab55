import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { picture, stage, until } from './harness.ts';

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
  assert.equal(await wish.isChecked(), false);
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
  await table.getByText('stays behind').waitFor();
  await table.getByText('25 % / 50 % / 25 %').first().waitFor();
  appendFileSync(join(folder, 'log.jsonl'), generation(3, -12));
  await table.getByText('\u221212 (\u221262 to +38)').waitFor();
  assert.equal(await table.locator('tbody tr').count(), 3);
  await picture(page, 'runs-generations');
});
