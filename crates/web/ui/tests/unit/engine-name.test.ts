import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineName, networkNamed, playerNames } from '../../src/shell/engine-name.ts';
import { hashParts } from '../../src/shell/hash-parts.ts';

test('an engine has the name of its network and its budget', () => {
  const named = {
    'default,nodes=100': 'default · 100 nodes',
    'net=runs/toy/network.tabiya,nodes=50': 'toy · 50 nodes',
    'net=nets/maia-1900.pb.gz,nodes=1,search=policy': 'maia-1900 · 1 node',
    'net=big.tabiya,search=pvs,nodes=20000,movetime=500': 'big · 20,000 nodes, 500 ms',
    'uci=./lc0.sh,movetime=200': 'lc0.sh · 200 ms',
    'net=runs/toy/network.tabiya,name=mine,depth=4': 'mine · depth 4',
    default: 'default',
    'Stockfish 1320': 'Stockfish 1320',
    'Carlsen, Magnus': 'Carlsen, Magnus',
  };
  for (const [text, name] of Object.entries(named)) assert.equal(engineName(text), name);
});

test('the players of a report have their limits in words, however they were given', () => {
  const long = 'PUCT with toy 2x24 int8 on cpu (avx512)';
  assert.deepEqual(playerNames([{ name: long, pace: '300 nodes', specification: 'default,nodes=300' }, { name: 'Stockfish 15.1', pace: '20000 nodes', specification: 'uci=stockfish' }]), ['default · 300 nodes', 'stockfish · 20,000 nodes']);
  assert.deepEqual(playerNames([{ name: 'random', pace: 'no limit' }]), ['random']);
});

test('a damaged report has no names instead of an error', () => {
  assert.deepEqual(playerNames(undefined), []);
  assert.deepEqual(playerNames('nonsense' as never), []);
  assert.deepEqual(playerNames([{}, null] as never), ['?', '?']);
});

test('players that would be called alike have what tells them apart', () => {
  const names = (...texts: string[]) => playerNames(texts.map((specification) => ({ name: 'long', specification })));
  assert.deepEqual(names('default,nodes=8000,search=pvs', 'default,nodes=8000,search=puct'), ['default · 8,000 nodes · search=pvs', 'default · 8,000 nodes · search=puct']);
  assert.deepEqual(names('default,nodes=10,option.X=1', 'default,nodes=10'), ['default · 10 nodes · option.X=1', 'default · 10 nodes']);
  assert.deepEqual(names('default,nodes=10,search=pvs', 'net=a.tabiya,nodes=10,search=puct'), ['default · 10 nodes', 'a · 10 nodes'], 'nothing more than it takes');
});

test('hashes are shortened where they stand in a text, numbers and words are not', () => {
  const [sha, commit] = ['0123456789abcdef'.repeat(4), 'f'.repeat(40)];
  assert.deepEqual(hashParts(sha), [{ text: sha, short: '01234567' }]);
  assert.deepEqual(hashParts(`default: 100 nodes; network hash ${sha}; commit ${commit}`), [
    { text: 'default: 100 nodes; network hash ', short: null },
    { text: sha, short: '01234567' },
    { text: '; commit ', short: null },
    { text: commit, short: 'ffffffff' },
  ]);
  assert.deepEqual(hashParts('2400 deadbeef'), [{ text: '2400 deadbeef', short: null }]);
  assert.deepEqual(hashParts(''), []);
});

test('a network is found by the name that lists show, if it is the only one, and by its file', () => {
  const networks = ['maia-1900.pb.gz maia-1900', 'run-toy toy', 'run-a twin', 'run-b twin', 'toy2 run-toy'].map((words) => {
    const [id = '', name = ''] = words.split(' ');
    return { id, name, file: `runs/${name}/network.tabiya` };
  });
  const found = ['maia-1900', 'toy', 'run-toy', 'twin', 'nope', 'runs/toy/network.tabiya'].map((text) => networkNamed(networks, text)?.id);
  assert.deepEqual(found, ['maia-1900.pb.gz', 'run-toy', 'run-toy', undefined, undefined, 'run-toy']);
});
