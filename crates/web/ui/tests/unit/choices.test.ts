import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familiesOf, fileOf } from '../../src/networks/family.ts';
import { type Choices, chosenLevel, imitationText, newGame, offersOf, TEMPERATURE_STOPS } from '../../src/play/choices.ts';
import { placesOf, ticksOf } from '../../src/play/level-strip.tsx';
import type { Level, NetworkSummary } from '../../src/server/types.ts';

const CHOICES: Choices = {
  strength: 'nodes',
  level: 0,
  follow: false,
  people: '',
  system: '',
  withSearch: false,
  nodes: 50,
  seconds: 1,
  network: '',
  temperature: 0.6,
  colour: 'black',
  clock: 'none',
  minutes: 20,
  increment: 10,
  humanTime: false,
  claims: false,
  fen: '',
};

test('a temperature is asked for by nodes and by time, and a level keeps its own', () => {
  const club: Level = { name: 'Club', network: 'default', nodes: 40, temperature: 0.3, measurement: null };
  const offers = { levels: [club], people: [], systems: [], searching: [], human: new Set<string>(), own: null };
  assert.equal(newGame(CHOICES, offers, undefined).temperature, 0.6);
  assert.equal(newGame({ ...CHOICES, strength: 'time' }, offers, undefined).temperature, 0.6);
  assert.equal(newGame({ ...CHOICES, strength: 'level' }, offers, undefined).temperature, 0.3);
  assert.equal('temperature' in newGame({ ...CHOICES, temperature: 0 }, offers, undefined), false);
  assert.ok(TEMPERATURE_STOPS.every((stop, index) => stop >= 0 && stop <= 10 && stop > (TEMPERATURE_STOPS[index - 1] ?? -1)));
});

test('networks that play like people are a group of their own, lowest rating first, and levels go no further than the engine', () => {
  const levels: Level[] = ['Club', 'Full strength'].map((name) => ({ name, network: 'default', nodes: 40, temperature: 0, measurement: null }));
  const people: Level[] = ['maia-1900', 'maia-1100'].map((name) => ({ name, network: `${name}.pb.gz`, nodes: 1, temperature: 0, measurement: null }));
  const networks = people.map(({ name, network }) => ({ id: network, name, kind: 'human', file: network, rating: Number(name.slice(5)) })) as NetworkSummary[];
  const offers = offersOf([...levels, ...people], networks);
  assert.deepEqual(offers.people.map((one) => one.rating), [1100, 1900]);
  assert.equal(chosenLevel({ ...CHOICES, strength: 'level', level: 9 }, offers)?.name, 'Full strength');
  assert.equal(chosenLevel({ ...CHOICES, strength: 'people' }, offers)?.name, 'maia-1100');
  const chosen = newGame({ ...CHOICES, strength: 'people', people: 'maia-1900.pb.gz' }, offers, undefined);
  assert.deepEqual([chosen.network, chosen.nodes, chosen.level], ['maia-1900.pb.gz', 1, 'maia-1900']);
  assert.equal(chosenLevel({ ...CHOICES, strength: 'people' }, offersOf(levels, [])), undefined);
});

test('what is built in and plays like people is both: levels that were measured, and an opponent by rating', () => {
  const measured: Level = { name: 'First steps 540', network: 'human-800', nodes: 1, temperature: 1.5, measurement: null };
  const engine: Level = { name: 'Club 1300', network: 'default', nodes: 1, temperature: 0, measurement: null };
  const networks = [{ id: 'human-800', name: 'human-800', kind: 'human', file: null, rating: 800 }] as NetworkSummary[];
  const offers = offersOf([measured, engine], networks);
  assert.deepEqual(offers.levels, [measured, engine]);
  assert.deepEqual(offers.people.map(({ level, rating }) => [level.network, level.nodes, level.temperature, rating]), [['human-800', 1, 1, 800]]);
});

test('a level that plays moves of people says whose, and that their ratings are another scale', () => {
  const level = (setting: string): Level => ({ name: 'Beginner 695', network: 'human-1000', nodes: 1, temperature: 1, measurement: { setting, elo: 695, low: 600, high: 780, games: 220, conditions: 'test' } });
  assert.equal(imitationText(level('moves of people rated 1000')), 'moves of people rated 1000 (ratings of people and of engines are different scales)');
  assert.equal(imitationText(level('40 nodes')), '');
  assert.equal(imitationText({ ...level(''), measurement: null }), '');
});

test("a person's pace is asked for where people's moves are played, and under a clock", () => {
  const measured: Level = { name: 'First steps 540', network: 'human-800', nodes: 1, temperature: 1.5, measurement: null };
  const engine: Level = { name: 'Club 1300', network: 'default', nodes: 1, temperature: 0, measurement: null };
  const networks = [{ id: 'human-800', name: 'human-800', kind: 'human', file: null, rating: 800 }] as NetworkSummary[];
  const offers = offersOf([measured, engine], networks);
  const asks = (changes: Partial<Choices>) => newGame({ ...CHOICES, humanTime: true, clock: '3+2', ...changes }, offers, undefined).human_time ?? false;
  assert.equal(asks({ strength: 'people' }), true);
  assert.equal(asks({ strength: 'level', level: 0 }), true);
  assert.equal(asks({ strength: 'level', level: 1 }), false);
  assert.equal(asks({ strength: 'nodes' }), false);
  assert.equal(asks({ strength: 'people', clock: 'none' }), false);
  assert.equal(asks({ strength: 'people', humanTime: false }), false);
});

test('networks trained on one person come after those of people by rating, and are no level', () => {
  const networks = [
    { id: 'run-you', name: 'you', kind: 'human', file: 'runs/you/network.tabiya', rating: null },
    { id: 'maia-1500.pb.gz', name: 'maia-1500', kind: 'human', file: 'nets/maia-1500.pb.gz', rating: 1500 },
    { id: 'human-2000', name: 'human-2000', kind: 'human', file: null, rating: 2000 },
    { id: 'run-mine', name: 'mine', kind: 'own', file: 'runs/mine/network.tabiya', rating: null },
  ] as NetworkSummary[];
  const you: Level = { name: 'you', network: 'run-you', nodes: 1, temperature: 0, measurement: null };
  const offers = offersOf([you], networks);
  assert.deepEqual(offers.people.map((one) => [one.level.name, one.family]), [['human-2000', 'built in'], ['maia-1500', 'files'], ['you', 'personal']]);
  assert.deepEqual(offers.levels, []);
  assert.equal(newGame({ ...CHOICES, strength: 'people', people: 'run-you' }, offers, undefined).network, 'run-you');
});

test('a file that is given a rating is a family of its own, between files for one rating and networks of one person', () => {
  const given = (rating: number) => ({ id: `maia3.onnx-${rating}`, name: `maia3-${rating}`, kind: 'human', file: 'nets/maia3.onnx', rating });
  const networks = [
    { id: 'maia3.onnx', name: 'maia3', kind: 'own', file: 'nets/maia3.onnx', rating: null },
    given(2600),
    given(600),
    { id: 'run-you', name: 'you', kind: 'human', file: 'runs/you/network.tabiya', rating: null },
    { id: 'maia-1500.pb.gz', name: 'maia-1500', kind: 'human', file: 'nets/maia-1500.pb.gz', rating: 1500 },
    { id: 'human-2000', name: 'human-2000', kind: 'human', file: null, rating: 2000 },
  ] as NetworkSummary[];
  const offers = offersOf([], networks);
  const file = 'file nets/maia3.onnx';
  assert.deepEqual(offers.people.map((one) => [one.level.name, one.family]), [['human-2000', 'built in'], ['maia-1500', 'files'], ['maia3-600', file], ['maia3-2600', file], ['you', 'personal']]);
  const chosen = newGame({ ...CHOICES, strength: 'people', people: 'maia3.onnx-2600' }, offers, undefined);
  assert.deepEqual([chosen.network, chosen.nodes, chosen.temperature, chosen.level], ['maia3.onnx-2600', 1, 1, 'maia3-2600']);
  assert.deepEqual(familiesOf(offers.people.map((one) => one.family)), ['built in', 'files', file, 'personal']);
  assert.deepEqual([fileOf(file), fileOf('files')], ['maia3.onnx', null]);
});

test('levels stand at the places of their ratings, those that were not measured apart at the end', () => {
  const level = (name: string, elo: number | null) => ({ name, network: 'default', nodes: 1, temperature: 0, measurement: elo === null ? null : { elo } }) as Level;
  const { marks, place } = placesOf([level('First steps', 200), level('Club', 1200), level('Master', 2200), level('Full strength', null)]);
  assert.deepEqual(marks.map((mark) => [mark.at, mark.measured]), [[0, true], [43, true], [86, true], [98, false]]);
  assert.equal(place?.(700), 21.5);
  const without = placesOf([level('First steps', null), level('Club', null), level('Full strength', null)]);
  assert.deepEqual(without.marks.map((mark) => mark.at), [0, 50, 100]);
  assert.equal(without.place, null);
  assert.deepEqual(placesOf([]).marks, []);
  // Figures make room for the text at the end only if there is text.
  const late = (levels: Level[]) => ticksOf(placesOf(levels)).filter((tick) => tick.late).map(({ elo }) => elo);
  assert.deepEqual(late([level('First steps', 200), level('Master', 2200), level('Full strength', null)]), [2000]);
  assert.deepEqual(late([level('First steps', 200), level('Master', 2200)]), []);
  assert.deepEqual(ticksOf(placesOf([level('First steps', 200), level('Master', 2200)])).map(({ elo }) => elo), [500, 1000, 1500, 2000]);
});

test('reproduced systems are a group of their own, each with the nodes and the temperature of its recipe', () => {
  const club: Level = { name: 'Club', network: 'default', nodes: 40, temperature: 0, measurement: null };
  const systems: Level[] = ['AIChess', 'Catfish V3'].map((name) => ({ name, network: name.toLowerCase(), nodes: 1, temperature: 1, measurement: null }));
  const networks = systems.map(({ name, network }) => ({ id: network, name, kind: 'system', file: `nets/seeds/${network}.tabiya`, rating: null })) as NetworkSummary[];
  const offers = offersOf([club, ...systems], networks);
  assert.deepEqual([offers.levels, offers.people], [[club], []]);
  assert.equal(chosenLevel({ ...CHOICES, strength: 'system' }, offers)?.name, 'AIChess');
  assert.equal(chosenLevel({ ...CHOICES, strength: 'system', system: 'gone' }, offers)?.name, 'AIChess');
  const game = newGame({ ...CHOICES, strength: 'system', system: 'catfish v3' }, offers, undefined);
  assert.deepEqual([game.network, game.nodes, game.temperature, game.level], ['catfish v3', 1, 1, 'Catfish V3']);
});

test('a system plays with a search where its network has a value, and the choice stays for the others', () => {
  const level = (network: string, nodes: number): Level => ({ name: network, network, nodes, temperature: 0, measurement: null });
  const networks = ['mlx', 'knights-sl'].map((id) => ({ id, name: id, kind: 'system', rating: null })) as NetworkSummary[];
  const offers = offersOf([level('mlx', 1), level('knights-sl', 1), level('mlx-search', 100), level('own-search', 4)], networks);
  assert.deepEqual(offers.levels.map(({ network }) => network), ['own-search']);
  const chosen = (system: string) => chosenLevel({ ...CHOICES, strength: 'system', system, withSearch: true }, offers)?.network;
  assert.deepEqual([chosen('mlx'), chosen('knights-sl')], ['mlx-search', 'knights-sl']);
  assert.equal(newGame({ ...CHOICES, strength: 'system', system: 'mlx', withSearch: true }, offers, undefined).nodes, 100);
});
