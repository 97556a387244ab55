import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxOf, drawingOf, titleOf } from '../../src/networks/layer-stages.ts';
import type { NetworkLayer } from '../../src/server/types.ts';

const BOARD = '48 channels of 8x8 squares';

function layer(name: string, text: string, parameters = 0, shape = BOARD): NetworkLayer {
  return { name, layer: text, shape, parameters };
}

function block(name: string): NetworkLayer[] {
  return [
    layer(`${name}.first`, 'convolution 3x3', 100),
    layer(`${name}.first.norm`, 'batch normalisation', 4),
    layer(`${name}.first.activated`, 'relu'),
    layer(`${name}.sum`, 'sum with a skip connection'),
    layer(name, 'relu'),
  ];
}

test('a tower is its stem, its equal blocks as one, and its heads; each kind of layer is explained once', () => {
  const { trunk, heads } = drawingOf([
    layer('stem', 'convolution 3x3', 50),
    layer('stem.activated', 'relu'),
    ...['block0', 'block1', 'block2'].flatMap(block),
    layer('policy.last', 'convolution 1x1', 9),
    layer('policy.flat', 'flatten', 0, '3072 numbers'),
    layer('value.last', 'dense layer of 3 units', 7, '3 numbers'),
  ]);
  assert.deepEqual(trunk.map((stage) => [titleOf(stage), stage.times]), [['Stem', 1], ['Block', 3]]);
  assert.deepEqual(heads.map(titleOf), ['Policy: which move', 'Value: how it will end']);
  assert.deepEqual(trunk[1]?.layers.map(({ text, parameters }) => [text, parameters]), [
    ['convolution 3x3, batch normalisation, relu', 104],
    ['sum with a skip connection, relu', 0],
  ]);
  assert.match(trunk[0]?.layers[0]?.does ?? '', /neighbours/);
  assert.equal(trunk[1]?.layers[0]?.does, '', 'it was explained at the stem');
  assert.deepEqual(heads[0]?.layers[0], { text: 'convolution 1x1, flatten', shape: '3072 numbers', parameters: 9, does: 'mixes the channels of each square by itself' });
});

test('single layers of a list are one stage, and a sparse network has nothing but heads', () => {
  const list = drawingOf([layer('body.0', 'convolution 5x5', 5), layer('stage-1', 'relu'), layer('body.2', 'convolution 3x3', 3), layer('body.3.0', 'convolution 3x3', 2), layer('body.3', 'relu')]);
  assert.deepEqual(list.trunk.map((stage) => [titleOf(stage), stage.layers.map(({ text }) => text)]), [
    ['Layers', ['convolution 5x5, relu', 'convolution 3x3']],
    ['Block', ['convolution 3x3, relu']],
  ]);
  const sparse = drawingOf([layer('value.table', 'rows that are added up', 8, '24576 x 512'), layer('policy.table', 'rows that are added up', 8, '12288 x 512')]);
  assert.deepEqual([sparse.trunk.length, sparse.heads.map(({ part }) => part)], [0, ['value', 'policy']]);
});

test('boxes are as high as their board and wider with every doubling', () => {
  const [narrow, wide, numbers] = ['64 channels of 8x8 squares', '128 channels of 6x6 squares', '128 numbers'].map(boxOf);
  assert.deepEqual([narrow?.height, wide?.height], [24, 18]);
  assert.equal((wide?.width ?? 0) - (narrow?.width ?? 0), 6);
  assert.deepEqual([numbers?.width, numbers?.height], [wide?.width, 4]);
  assert.equal(boxOf('24576 x 512')?.width, boxOf('512 numbers')?.width);
  assert.equal(boxOf('anything else'), null);
});
