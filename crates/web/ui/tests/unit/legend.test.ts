import assert from 'node:assert/strict';
import { test } from 'node:test';
import { legendOf } from '../../src/analyse/legend.tsx';
import { keepSeen, seenValue } from '../../src/analyse/seen.ts';
import type { AnalysisView, SearchTrace } from '../../src/server/types.ts';

test('the legend names the colours that are drawn and the figure that was chosen', () => {
  const arrows = (...kinds: ('net-a' | 'net-b' | 'played' | 'threat' | 'better')[]) => kinds.map((kind) => ({ kind }));
  assert.equal(legendOf(arrows('net-a', 'played'), 'visits', 'percent'), 'blue: searched · figure: share of the search in % (v) · dark: played next');
  assert.equal(legendOf(arrows('net-b', 'net-a'), 'win', 'pawns'), 'blue and orange: the two networks · figure: value in pawns (v)');
  assert.equal(legendOf(arrows('better', 'threat'), 'prior', 'percent'), 'green: better · violet: threat');
  assert.equal(legendOf(arrows('net-a'), 'none', 'percent'), 'blue: searched');
  assert.equal(legendOf([], 'visits', 'percent'), '');
});

test('a value of few visits is kept only where it is proven, so that a solved game has its curve', () => {
  const fen = '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1';
  const trace = { fen, wdl: { win: 1, draw: 0, loss: 0 }, moves: [] } as unknown as SearchTrace;
  const view: AnalysisView = { key: 1, stage: 'running', network: 'n', engine: 'e', budget: null, visits: 3, kept: 0, trace, message: null };
  keepSeen(view);
  assert.equal(seenValue(fen), null, 'a first sight');
  keepSeen({ ...view, stage: 'proven' });
  assert.equal(seenValue(fen)?.white.win, 1);
});
