/** Who plays a game: tabs that share it, and a server that dies and comes back. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes, drag, game, picture, playing, says, stage, yourTurn } from './harness.ts';

const here = stage(['--net', 'material']);
const { program, open, expectFaults } = here;

test('a reload and a second tab show the same game, and keys walk through it', async () => {
  const page = await playing(here, { clock: { initial_ms: 180_000, increment_ms: 2000 } });
  await drag(page, 'd2', 'd4');
  const state = await yourTurn(page, 2);
  await page.reload();
  await page.getByRole('button', { name: 'd4', exact: true }).waitFor();
  await says(page, 'd4', 'white pawn');
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByRole('button', { name: 'd4', exact: true }).waitFor();
  await second.getByText('Another tab is playing this game').waitFor();
  await becomes('both clocks are there', () => second.locator('.clock').count(), 2);
  await page.bringToFront();
  await drag(page, 'c2', 'c4');
  await second.bringToFront();
  await second.getByRole('button', { name: 'c4', exact: true }).waitFor();
  await yourTurn(page, state.moves.length + 2);
  await page.bringToFront();
  await page.keyboard.press('Home');
  await page.getByText('Viewing move 0').waitFor();
  await says(page, 'd2', 'white pawn');
  await page.waitForURL(/#0$/);
  await page.keyboard.press('ArrowRight');
  await says(page, 'd4', 'white pawn');
  await page.keyboard.press('End');
  await says(page, 'c4', 'white pawn');
  await picture(page, 'play-game');
});

test('a second tab looks on until it takes the game over', async () => {
  const page = await playing(here, {});
  await drag(page, 'e2', 'e4');
  await yourTurn(page, 2);
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByText('Another tab is playing this game').waitFor();
  await drag(second, 'd2', 'd4');
  assert.equal((await game(page)).moves.length, 2, 'nothing moves in a tab that looks on');
  await second.getByRole('button', { name: 'Take over here' }).click();
  await second.getByText('Another tab is playing this game').waitFor({ state: 'detached' });
  await page.bringToFront();
  await page.getByText('Another tab is playing this game').waitFor();
  await second.bringToFront();
  await drag(second, 'd2', 'd4');
  const state = await yourTurn(second, 4);
  assert.equal(state.moves[2]?.san, 'd4');
});

test('the server dies and comes back: the move made meanwhile is played once', async () => {
  expectFaults();
  const page = await playing(here, {});
  await drag(page, 'e2', 'e4');
  await yourTurn(page, 2);
  const { port } = program;
  await program.kill();
  await page.getByText(/^reconnecting \d/).waitFor();
  await page.keyboard.press('Home');
  await says(page, 'e2', 'white pawn');
  await page.keyboard.press('End');
  await says(page, 'e4', 'white pawn');
  await drag(page, 'g1', 'f3');
  await program.start(port);
  await page.locator('.chip[data-state=open]').waitFor();
  const state = await yourTurn(page, 4);
  assert.deepEqual(
    state.moves.filter((move) => move.uci === 'g1f3').length,
    1,
  );
});

test('after a restart of the server the tab that has a move waiting plays on, not the one that looked on', async () => {
  expectFaults();
  const page = await playing(here, {});
  await drag(page, 'e2', 'e4');
  await yourTurn(page, 2);
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByText('Another tab is playing this game').waitFor();
  const { port } = program;
  await program.kill();
  await page.bringToFront();
  await page.getByText(/^reconnecting \d/).waitFor();
  await drag(page, 'g1', 'f3');
  await program.start(port);
  const state = await yourTurn(page, 4);
  assert.equal(state.moves[2]?.uci, 'g1f3');
  await becomes('the seat is kept', () => page.getByText('Another tab is playing this game').count(), 0);
});

test('a game that does not exist is named', async () => {
  expectFaults();
  const page = await open('/play/1-1');
  await page.getByText('There is no game 1-1.').waitFor();
});
