import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawBoard } from '../../src/board/draw.ts';
import { chosenMoments, filmOf, filmSize } from '../../src/runs/film.ts';

const COLOURS = { light: '#eee', dark: '#999' };

test('a film shows one frame after the other, and ends on the last', () => {
  const frame = (title: string) => ({ title, boards: [{ over: '<circle r="1"/>', sentence: 'plays a < b' }] });
  const film = filmOf([{ name: 'Rook & king', picture: '<rect/>' }], [frame('step 0'), frame('step 400'), frame('step 800')]);
  // Three quarters of a second, and two seconds for the last frame.
  assert.deepEqual([...film.matchAll(/values="([^"]+)" keyTimes="([^"]+)" dur="([^"]+)"/g)].map(([, values, times, whole]) => [values, times, whole]), [
    ['inline;none', '0;0.09091', '2.75s'],
    ['none;inline;none', '0;0.09091;0.18182', '2.75s'],
    ['none;inline', '0;0.18182', '2.75s'],
  ]);
  assert.equal(film.match(/<g display="none">/g)?.length, 2, 'only the last frame is there without movement');
  assert.ok(film.includes('Rook &amp; king') && film.includes('plays a &lt; b'));
  assert.ok(!filmOf([{ name: 'x', picture: '' }], [frame('step 0')]).includes('<animate'));
});

test('a long training is shown in even steps, with its first and its last moment', () => {
  assert.deepEqual(chosenMoments(3, 5), [0, 1, 2]);
  assert.deepEqual(chosenMoments(9, 5), [0, 2, 4, 6, 8]);
  assert.deepEqual(chosenMoments(1000, 120).length, 120);
  assert.equal(chosenMoments(1000, 120).at(-1), 999);
  assert.ok(filmSize(8)[0] > filmSize(8)[1], 'eight boards are two rows of four');
});

test('a board that is drawn has its pieces, marks and coordinates where the reader sees them', () => {
  const board = { fen: '4k3/8/8/8/8/8/8/R3K3 w - - 0 1', marks: [{ square: 'a1', fill: 'rgb(1, 2, 3)' }] };
  const white = drawBoard({ ...board, orientation: 'white', coordinates: true }, COLOURS);
  assert.ok(white.includes('<use href="#white-rook" x="0" y="7"/>'), white);
  assert.ok(white.includes('<use href="#black-king" x="4" y="0"/>'), white);
  assert.ok(white.includes('<rect x="0" y="7" width="1" height="1" fill="rgb(1, 2, 3)"/>'));
  // a1 is dark, so its letter is light.
  assert.ok(white.includes('fill="#eee">a</text>'));
  assert.equal(white.match(/M0 7h1/g)?.length, 1, 'a1 is dark');
  assert.equal(white.match(/<text/g)?.length, 16);
  const black = drawBoard({ ...board, orientation: 'black' }, COLOURS);
  assert.ok(black.includes('<use href="#white-rook" x="7" y="0"/>'), black);
  assert.ok(!black.includes('<text'));
});
