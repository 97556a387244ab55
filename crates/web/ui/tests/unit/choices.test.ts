import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Choices, newGame, TEMPERATURE_STOPS } from '../../src/play/choices.ts';
import type { Level } from '../../src/server/types.ts';

const CHOICES: Choices = {
  strength: 'nodes',
  level: 0,
  nodes: 50,
  seconds: 1,
  network: '',
  temperature: 0.6,
  colour: 'black',
  clock: 'none',
  minutes: 20,
  increment: 10,
  claims: false,
  fen: '',
};

test('a temperature is asked for by nodes and by time, and a level keeps its own', () => {
  const level: Level = { name: 'Club', network: 'default', nodes: 40, temperature: 0.3, measurement: null };
  assert.equal(newGame(CHOICES, [level], undefined).temperature, 0.6);
  assert.equal(newGame({ ...CHOICES, strength: 'time' }, [level], undefined).temperature, 0.6);
  assert.equal(newGame({ ...CHOICES, strength: 'level' }, [level], undefined).temperature, 0.3);
  assert.equal('temperature' in newGame({ ...CHOICES, temperature: 0 }, [level], undefined), false);
  assert.ok(TEMPERATURE_STOPS.every((stop, index) => stop >= 0 && stop <= 10 && stop > (TEMPERATURE_STOPS[index - 1] ?? -1)));
});
