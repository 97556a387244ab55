import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRACE } from '../../src/play/use-game.ts';
import { EVERY_PAGE_TRIED } from '../../src/server/live.ts';

test('after a restart a page that looks on waits longer than the one that plays may take to come back', () => {
  assert.ok(GRACE > EVERY_PAGE_TRIED, `${GRACE} ms, and up to ${EVERY_PAGE_TRIED} ms to come back`);
});
