import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AXIS_FONT } from '../../src/runs/line-ends.ts';

const STYLES = 'styles';
/** Sizes of text drawn in units of a square, and the size of touch fields, below which phones zoom. */
const APART = /^(0?\.\d+px|16px|inherit)$/;

test('type has the six sizes of the tokens, on the canvases of the runs as well', () => {
  const files = readdirSync(STYLES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'));
  const tokens = readFileSync(join(STYLES, 'tokens.css'), 'utf8');
  const sizes = new Map([...tokens.matchAll(/(--type-\w+): (\d+px);/g)].map(([, name, size]) => [name, size]));
  assert.equal(sizes.size, 6);
  for (const file of files) {
    for (const [, size = ''] of readFileSync(join(STYLES, file), 'utf8').matchAll(/font-size: ([^;]+);/g)) {
      assert.ok(APART.test(size) || sizes.has(/^var\((--type-\w+)\)$/.exec(size)?.[1]), `${file}: ${size}`);
    }
  }
  assert.equal(AXIS_FONT.split(' ')[0], sizes.get('--type-label'));
});
