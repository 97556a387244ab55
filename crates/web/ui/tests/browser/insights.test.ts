/** Input planes of a network, calibration of its values, and the best moves against people. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { becomes, drag, fromMenu, paste, picture, place, resign, settled, stage, until, yourTurn } from './harness.ts';

const { open, program } = stage();

test('the best move against people of a rating stands beside the best against the strongest reply', async () => {
  // Rd8 mates; everything else leaves Black something to play.
  const fen = encodeURIComponent('6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1');
  const page = await open(`/analyse?tab=human&fen=${fen}`);
  await page.locator('.human-table tbody tr').first().waitFor();
  await page.getByRole('button', { name: 'Best against people' }).click();
  const section = page.getByRole('region', { name: 'Best against people' });
  const answer = section.getByText('Against 1400: Rd8#, 100.0 %. It is also best against the strongest reply.');
  await answer.waitFor();
  await until('the answer is in sight', () => answer.evaluate((one) => one.getBoundingClientRect().bottom <= (one.closest('.scrolls')?.getBoundingClientRect().bottom ?? 0) + 1));
  const rows = section.locator('tbody tr');
  const figures = () => rows.evaluateAll((all) => all.map((row) => [2, 3].map((column) => Number.parseFloat(row.querySelector(`td:nth-child(${column})`)?.textContent ?? ''))));
  const values = await settled(page, 'four rows', figures, (all) => all.length >= 4);
  for (const [index, [people, strongest]] of values.entries()) {
    assert.ok(index === 0 || (people ?? 0) <= (values[index - 1]?.[0] ?? 0), `the best comes first: ${values.join(' ')}`);
    assert.ok((people ?? 0) >= (strongest ?? 0), 'people never reply better than the strongest reply');
  }
  await picture(page, 'against-people');
  await section.getByLabel('rated').selectOption('human-2000');
  await section.getByText(/^Against 2000: Rd8#/).waitFor();
  await rows.nth(1).getByRole('button').click();
  await page.waitForURL(/moves=/);
  // Black to move: the values are still White's.
  await section.getByText(/^Against /).waitFor();
  await page.reload();
  await section.getByRole('button', { name: 'Best against people', pressed: true }).waitFor();
});

test('the trap meter and the best move against people are in sight, before the table of figures', async () => {
  const page = await open('/analyse?tab=human&moves=e2e4&nodes=100', { viewport: { width: 1440, height: 900 } });
  await page.locator('.human-table tbody button.move').nth(3).waitFor();
  await page.locator('.human-curves').getByText('the trap meter needs the engine (l)').waitFor();
  await page.keyboard.press('l');
  await page.locator('.trap-meter .trap-0').first().waitFor({ state: 'attached' });
  const button = page.getByRole('button', { name: 'Best against people' });
  const places = () => Promise.all(['.trap-meter', '.tab-content', '.human-table'].map((one) => page.locator(one).boundingBox()).concat(button.boundingBox()));
  const [meter, tab, table, best] = await settled(page, 'the places', places);
  assert.ok(meter && tab && table && best);
  assert.ok(meter.y + meter.height <= best.y && best.y + best.height <= Math.min(table.y, tab.y + tab.height), JSON.stringify({ meter, tab, table, best }));
});

test('what people play is a curve for each move over their rating, with a rule at the rating of the player', async () => {
  const page = await open('/analyse?tab=human');
  await paste(page, '[White "Anna"]\n[Black "Bert"]\n[WhiteElo "1500"]\n[BlackElo "1900"]\n\n1. e4 e5 2. Nf3 *');
  await page.getByRole('tab', { name: 'Human' }).click();
  await page.keyboard.press('End');
  const curves = page.locator('.human-curves');
  // Black is to move.
  await curves.getByText('this player, 1900').waitFor();
  // Until the network has answered for the position, the curves are those of the previous position, or there are none.
  await page.waitForFunction(() => {
    const rows = document.querySelectorAll('.human-table tbody tr').length;
    return rows > 0 && document.querySelectorAll('.human-curves polyline').length === rows;
  });
  const middle = (element: Locator) => element.boundingBox().then((box) => (box?.x ?? 0) + (box?.width ?? 0) / 2);
  const places = () => Promise.all([curves.locator('.human-own line'), ...['1400', '2000'].map((text) => curves.getByText(text, { exact: true }))].map(middle));
  const [rule = 0, from = 0, to = 0] = await settled(page, 'the rule', places);
  assert.ok(Math.abs(rule - (from + (to - from) * (500 / 600))) < 2, JSON.stringify({ rule, from, to }));
  await page.keyboard.press('ArrowLeft');
  await curves.getByText('this player, 1500').waitFor();
  await picture(page, 'people-curves');
});

test('what a network sees: a board for each channel, in any position, also from the analysis board', async () => {
  const page = await open('/networks/cnn');
  const section = page.getByRole('region', { name: 'What it sees' });
  await section.getByRole('img', { name: 'own pawns: 8 squares', exact: true }).waitFor();
  await section.getByRole('img', { name: 'ones: 1 everywhere', exact: true }).waitFor();
  await section.getByRole('combobox').first().selectOption({ label: 'The opposition' });
  await section.getByRole('img', { name: 'own pawns: 1 square', exact: true }).waitFor();
  await section.getByText(/Zero everywhere: .*their queens/).waitFor();
  await section.getByLabel('or a FEN').fill('4k3/8/8/8/8/8/4P3 b - - 0 1');
  await section.locator('.problem').waitFor();
  for (const [fen, fields] of [['4k3/8/8/8/8/8/4P3/4K3 b - - 0 1 x', 7], ['4k3/8/8/8/8/8/4P3/4K3 b', 2]] as const) {
    await section.getByLabel('or a FEN').fill(fen);
    await section.getByText(`found ${fields} of its fields, expected four to six`).waitFor();
    assert.equal(await section.getByRole('img', { name: 'their pawns: 1 square', exact: true }).count(), 0, fen);
  }
  await section.getByLabel('or a FEN').fill('4k3/8/8/8/8/8/4P3/4K3 b - - 0 1');
  await section.getByRole('img', { name: 'their pawns: 1 square', exact: true }).waitFor();
  await section.getByText('Black, whose first rank is at the bottom').waitFor();
  await picture(page, 'planes');
  await page.goto(`${program.address}/analyse?moves=e2e4,e7e5&net=human-1000`);
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await fromMenu(page, 'Input planes of the network');
  await page.waitForURL(/\/networks\/human-1000\?/);
  await section.getByRole('img', { name: 'their last move: to: 1 square', exact: true }).waitFor();
  await section.getByRole('img', { name: 'own rating: -0.50 everywhere', exact: true }).waitFor();
  await until('the planes are in sight', () => section.evaluate((one) => one.getBoundingClientRect().top < innerHeight / 2));
});

test('on a phone the channels of a network are folded, unless the reader came for them', async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const page = await open('/networks/cnn', phone);
  const channels = page.locator('.planes details');
  await becomes('they are folded', () => channels.evaluate((one) => (one as HTMLDetailsElement).open), false);
  await channels.locator('summary').tap();
  await page.getByRole('img', { name: 'own pawns: 8 squares', exact: true }).waitFor();
  const asked = await open('/networks/cnn?fen=' + encodeURIComponent('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'), phone);
  await asked.getByRole('img', { name: 'own pawns: 1 square', exact: true }).waitFor();
});

test('the layers of a network are a drawing: equal blocks as one, each kind explained once, heads beside each other', async () => {
  const page = await open('/networks/cnn', { viewport: { width: 1440, height: 900 } });
  const layers = page.getByRole('region', { name: 'Layers' });
  await layers.getByRole('heading', { name: 'Block × 4' }).waitFor();
  assert.equal(await layers.getByText('looks at each square and its neighbours').count(), 1);
  const [policy, value] = [await place(page, layers.locator('.network-heads > div').first()), await place(page, layers.locator('.network-heads > div').last())];
  assert.ok(value.x >= policy.x + policy.width && value.y === policy.y, JSON.stringify({ policy, value }));
  await picture(page, 'network-layers');
  await page.goto(`${program.address}/networks/material`);
  await page.getByRole('heading', { name: 'Its values in your games' }).waitFor();
  assert.equal(await layers.count(), 0, 'an evaluator without a network has none');
});

test('the figures of a network: five beside a guess, the others folded', async () => {
  const page = await open('/networks/cnn');
  const table = page.getByRole('region', { name: 'Last validation' });
  await table.getByRole('row', { name: /Policy top-1 .* % .* % .*any legal move/ }).waitFor();
  await becomes('five rows are there', () => table.locator('tbody tr').count(), 5);
  assert.equal(await page.getByText('illegal move loss', { exact: true }).isVisible(), false);
});

test('how far the values of a network came true in the games that were played here', async () => {
  const page = await open('/networks/material');
  await page.getByText('After games against it here').waitFor();
  const headers = { 'content-type': 'application/json' };
  const begun = await page.request.post('/api/v1/games', { headers, data: { color: 'white', nodes: 1, network: 'material' } });
  const { id } = (await begun.json()) as { id: string };
  await page.goto(`${program.address}/play/${id}`);
  await page.locator('.opponent-note').waitFor();
  await drag(page, 'e2', 'e4');
  await yourTurn(page, 2);
  await resign(page);
  await page.getByRole('region', { name: 'Result' }).waitFor();
  await page.goto(`${program.address}/networks/material`);
  await page.getByText('1 game without help').waitFor();
  const bins = page.getByRole('region', { name: 'By expected score' });
  // It won the only game, in which it had expected about half a point.
  await bins.getByRole('row', { name: /^[45]0-[56]0 % .* 100\.0 %/ }).waitFor();
});

test('a match: who against whom with the score, one bar of its results, and the scale of its interval', async () => {
  mkdirSync(join(program.folder, 'results'), { recursive: true });
  const player = (name: string) => ({ name, pace: '300 nodes', specification: name });
  const report = {
    conditions: { players: [player('new'), player('old')], openings: 'balanced', machine: 'test' },
    games: { wins: 142, draws: 171, losses: 87 },
    elo: { score: 0.569, elo: 48.1, lower: 24, upper: 72.5, superiority: 0.99 },
  };
  writeFileSync(join(program.folder, 'results', 'bars.json'), JSON.stringify(report));
  const page = await open('/results/match/bars');
  await page.getByText('new · 300 nodes against old · 300 nodes 56.9 %').waitFor();
  const bar = page.getByRole('img', { name: '142 won, 171 drawn, 87 lost' });
  const widths = await settled(page, 'three parts', () => bar.locator('span').evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().width)), (all) => all.length === 3);
  assert.ok(Math.abs((widths[0] ?? 0) / (widths[2] ?? 1) - 142 / 87) < 0.1, widths.join(' '));
  const drawn = () => page.locator('svg.interval').first().evaluate((svg) => {
    const middle = (one: Element | null | undefined) => {
      const box = one?.getBoundingClientRect();
      return box ? box.left + box.width / 2 : Number.NaN;
    };
    const texts = [...svg.querySelectorAll('text')];
    return { texts: texts.map((text) => text.textContent), zero: middle(texts[1]), line: middle(svg.querySelector('.interval-zero')) };
  });
  const scale = await settled(page, 'the interval', drawn);
  assert.deepEqual(scale.texts, ['-400', '0', '+400']);
  assert.ok(Math.abs(scale.zero - scale.line) < 1.5, 'the scale is that of the interval');
  // In the list, the scale is above its intervals.
  await page.goto(`${program.address}/results`);
  await page.locator('.match-table .interval').first().waitFor();
  const places = () => page.evaluate(() => ['.interval-scale', '.match-table .interval'].map((one) => document.querySelector(one)?.getBoundingClientRect()).map((box) => [box?.left, box?.width]));
  const [scaled, interval] = await settled(page, 'the scale of the list', places);
  assert.deepEqual(scaled, interval);
});
