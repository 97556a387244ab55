import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AXIS_FONT } from '../../src/runs/line-ends.ts';

const STYLES = 'styles';
/** Sizes of text drawn in units of a square, and the size of touch fields, below which phones zoom. */
const APART = /^(0?\.\d+px|16px|inherit)$/;

/** Luminance of a colour such as `#f5f3ee`, as WCAG 2.2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('White has a tint in the light theme, so that its whole bar is not an empty box', () => {
  const light = readFileSync(join(STYLES, 'tokens.css'), 'utf8').split("[data-theme='dark']")[0] ?? '';
  const luminanceOf = (name: string) => luminance(new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(light)?.[1] ?? '');
  for (const ground of ['bg', 'surface']) assert.ok((luminanceOf(ground) + 0.05) / (luminanceOf('white-share') + 0.05) > 1.15, ground);
});

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
