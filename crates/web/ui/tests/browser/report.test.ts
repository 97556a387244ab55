import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { becomes, matches, picture, run, stage } from './harness.ts';

const { program, open } = stage();

/** A name that would run a script if it were taken for HTML anywhere. */
const MARKUP = '<img src=x onerror=document.title="run">';

const POSITIONS = [
  '2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "first";',
  '8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - bm Rxb2; id "second";',
];

const LOG = [
  { kind: 'step', step: 1, policy_loss: 3.2, value_loss: 1 },
  { kind: 'step', step: 2, policy_loss: 2.9, value_loss: 0.9 },
  { kind: 'validation', step: 2, validation: { policy_loss: 3, value_loss: 0.95 } },
];

/** Two positions with the moves of two references, which agree in the first. */
const REFERENCES = `game_id,fen,a,b
0,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,e2e4,e2e4
1,4k3/8/8/8/8/8/q7/R3K3 w - - 0 1,a1a2,e1f1
`;

/** Makes a report of results that the program has just measured, in results/all. */
function makeReport(): string {
  const { folder } = program;
  writeFileSync(join(folder, 'two.epd'), `${POSITIONS.join('\n')}\n`);
  writeFileSync(join(folder, 'log.jsonl'), LOG.map((line) => `${JSON.stringify(line)}\n`).join(''));
  run(folder, 'match', 'material', `random,name=${MARKUP}`, '--games', '4', '--max-moves', '20', '--out', 'pair');
  run(folder, 'match', 'material', 'random', 'random,name=other', '--games', '2', '--max-moves', '20', '--out', 'field');
  writeFileSync(join(folder, 'suite.json'), run(folder, 'suite', 'material', 'two.epd', '--json'));
  writeFileSync(join(folder, 'references.csv'), REFERENCES);
  writeFileSync(join(folder, 'agreement.json'), run(folder, 'metrics', 'agreement', 'material', 'references.csv', '--first', 'a', '--second', 'b', '--json'));
  run(folder, 'report', 'pair', 'field', 'suite.json', 'agreement.json', 'log.jsonl', '--title', MARKUP, '--out', 'results/all');
  return join(folder, 'results', 'all', 'report.html');
}

test('a report opens from its file with tables and charts, and names stay text', async () => {
  const page = await open(pathToFileURL(makeReport()).href);
  await page.getByRole('heading', { level: 1, name: MARKUP }).waitFor();
  await page.getByText('4 games:').waitFor();
  await page.getByRole('cell', { name: 'other' }).or(page.getByRole('rowheader', { name: 'other' })).first().waitFor();
  await page.getByText('two.epd: solved').waitFor();
  await page.getByText('id first', { exact: false }).or(page.getByText('first', { exact: false })).first().waitFor();
  await becomes('training and held-out samples of two losses', () => page.locator('.plot polyline').count(), 4);
  await becomes('points of pairs, outcomes and endings', () => page.locator('.bars').count(), 3);
  const overlap = page.getByRole('img', { name: 'Positions with equal moves' });
  await becomes('three circles', () => overlap.locator('circle').count(), 3);
  await matches('the queen is taken', () => overlap.getAttribute('aria-label'), /material and the first reference 1,/);
  assert.equal(await page.locator('img').count(), 0);
  await becomes('the title is the text', () => page.title(), MARKUP);
  assert.equal(await page.locator('a').count(), 0, 'a file has no board to lead to');
  await picture(page, 'report');
});

test('the page shows the same report among its results', async () => {
  const page = await open('/results');
  await page.getByRole('link', { name: 'all' }).click();
  await page.getByText('4 games:').waitFor();
  await becomes('points of pairs, outcomes and endings', () => page.locator('.bars').count(), 3);
  assert.equal(await page.locator('main img').count(), 0);
});
