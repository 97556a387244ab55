import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { OpenAnalysis } from '../../src/analyse/open-analysis.ts';
import { type Outcome, onOutcome, save, unsaved } from '../../src/analyse/saving.ts';
import { lineTo, mainLine, play, readPgn } from '../../src/analyse/tree.ts';

const ORIGIN = 'http://127.0.0.1:8080';
const GAME = '[White "Anna"]\n[Black "Bert"]\n\n1. e4 e5 (1... c5 2. Nf3) 2. d4 *';

/** What the page needs of a browser: its address, its history and its stores. */
const history: string[] = [];
function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

function store() {
  const entries = new Map<string, string>();
  return {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => entries.set(key, value),
    removeItem: (key: string) => entries.delete(key),
  };
}

/** Revisions as the server keeps them. */
interface Kept {
  revision: number;
  pgn: string;
  path: number[];
}
const server = { up: true, kept: new Map<string, Kept>(), sent: [] as string[] };

async function answer(input: unknown, init?: RequestInit): Promise<Response> {
  if (!server.up) throw new TypeError('nobody answers');
  const [, id = ''] = /\/analyses\/([^/]+)$/.exec(String(input)) ?? [];
  const kept = server.kept.get(id);
  const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });
  if (init?.method !== 'POST') return json(kept ? { summary: { id, revision: kept.revision }, path: kept.path, pgn: kept.pgn } : null);
  const { revision, pgn, path } = JSON.parse(String(init.body)) as Kept;
  server.sent.push(pgn);
  if (kept && kept.pgn !== pgn && kept.revision !== revision) return json({ code: 'other_revision', message: 'not the newest' }, 409);
  if (kept?.pgn !== pgn) server.kept.set(id, { revision: revision + 1, pgn, path });
  return json({ id, revision: server.kept.get(id)?.revision });
}

beforeEach(() => {
  history.length = 0;
  Object.assign(server, { up: true, kept: new Map(), sent: [] });
  define('location', new URL('/analyse', ORIGIN));
  define('sessionStorage', store());
  define('localStorage', store());
  const go = (address: string) => {
    define('location', new URL(address, ORIGIN));
  };
  define('history', {
    pushState: (_: unknown, __: string, address: string) => {
      history.push(location.pathname + location.search);
      go(address);
    },
    replaceState: (_: unknown, __: string, address: string) => go(address),
  });
  for (const name of ['addEventListener', 'removeEventListener']) define(name, () => undefined);
  define('crypto', webcrypto);
  define('fetch', answer);
});

function nextOutcome(): Promise<Outcome> {
  return new Promise((resolve) => {
    const stop = onOutcome((outcome) => {
      stop();
      resolve(outcome);
    });
  });
}

/** Everything that is ready has run. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}

async function settled(holds: () => boolean): Promise<void> {
  for (let look = 0; look < 100 && !holds(); look++) await idle();
  assert.ok(holds());
}

function draft(pgn: string) {
  return { pgn, path: [], title: { players: '', result: '', plies: 0, fen: '' } };
}

function tree(pgn: string) {
  const [game] = readPgn(pgn).games;
  assert.ok(game);
  return game;
}

/** Opens what an address names, as another visit of the screen does. */
function opened(address = location.pathname + location.search) {
  const url = new URL(address, ORIGIN);
  define('location', url);
  const open = new OpenAnalysis(url.pathname.split('/')[2], url.searchParams, () => undefined);
  return { open, close: open.follow() };
}

test('an analysis that changes while it is saved is sent once more, in its newest state', async () => {
  for (const pgn of ['1. e4 *', '1. e4 e5 *', '1. e4 e5 2. d4 *']) save('a1', draft(pgn));
  await settled(() => unsaved('a1') === undefined);
  assert.deepEqual(server.sent, ['1. e4 *', '1. e4 e5 2. d4 *']);
  assert.equal(server.kept.get('a1')?.revision, 2);
});

test('what another page has changed is kept under another id', async () => {
  server.kept.set('a2', { revision: 4, pgn: '1. c4 *', path: [] });
  const copied = nextOutcome();
  save('a2', draft('1. d4 *'));
  const outcome = await copied;
  assert.ok(outcome.kind === 'copied' && outcome.id === 'a2');
  await settled(() => unsaved(outcome.copy) === undefined);
  assert.deepEqual([server.kept.get('a2')?.pgn, server.kept.get(outcome.copy)?.pgn], ['1. c4 *', '1. d4 *']);
});

test('what is done while the server is away is saved later', async () => {
  server.up = false;
  save('a3', draft('1. e4 *'));
  await idle();
  assert.ok(unsaved('a3'));
  server.up = true;
  save('a4', draft('1. d4 *'));
  await settled(() => unsaved('a3') === undefined && unsaved('a4') === undefined);
  assert.deepEqual([...server.kept.keys()], ['a3', 'a4']);
});

test('an address names its analysis, and another browser finds the variations', async () => {
  const { open, close } = opened();
  open.setTree(tree(GAME));
  const { id } = open.shown;
  assert.ok(id);
  assert.match(location.search, new RegExp(`^\\?analysis=${id}&moves=e2e4,e7e5,d2d4&ply=0&white=Anna&black=Bert$`));
  const [, sicilian] = open.shown.tree.root.children[0]?.children ?? [];
  assert.ok(sicilian);
  open.setNode(sicilian);
  await settled(() => unsaved(id) === undefined);
  assert.equal(server.sent.length, 1, 'a step changes nothing');
  close();
  const address = location.pathname + location.search;
  for (const name of ['sessionStorage', 'localStorage']) define(name, store());
  const other = opened(address);
  assert.equal(other.open.shown.tree.root.children[0]?.children.length, 1, 'at first only the line of the address');
  await settled(() => other.open.shown.tree.root.children[0]?.children.length === 2);
  assert.deepEqual(lineTo(other.open.shown.node), ['e2e4', 'c7c5']);
  other.close();
});

test('the plain address stands for the last analysis, also in another tab', async () => {
  const { open, close } = opened('/analyse?moves=e2e4,e7e5&ply=1');
  close();
  assert.equal(open.shown.id, null, 'nothing was changed');
  define('sessionStorage', store());
  const other = opened('/analyse?net=default');
  assert.deepEqual(mainLine(other.open.shown.tree.root).map((node) => node.uci), ['', 'e2e4', 'e7e5']);
  assert.equal(location.search, '?net=default&moves=e2e4,e7e5&ply=1');
  assert.equal(server.sent.length, 0);
  // The first change gives it a name.
  play(other.open.shown.node, 'c7c5');
  other.open.setNode(other.open.shown.node);
  const { id } = other.open.shown;
  assert.ok(id && new URLSearchParams(location.search).get('analysis') === id);
  await settled(() => unsaved(id) === undefined);
  other.close();
});

test('a new game and a second paste leave the analysis behind them', async () => {
  const { open, close } = opened();
  open.setTree(tree(GAME));
  assert.deepEqual(history, [], 'nothing was on the board before');
  const first = open.shown.id;
  open.setTree(tree('1. c4 *'));
  assert.ok(first && open.shown.id && open.shown.id !== first);
  await settled(() => [first, open.shown.id].every((id) => id && unsaved(id) === undefined));
  const [before = ''] = history;
  define('location', new URL(before, ORIGIN));
  open.show(undefined, new URLSearchParams(before.split('?')[1]));
  close();
  const stop = open.follow();
  await settled(() => open.shown.tree.root.children[0]?.children.length === 2);
  assert.equal(open.shown.id, first);
  stop();
});

test('an analysis that is gone leaves what its address names', async () => {
  const { open, close } = opened('/analyse?analysis=a9&moves=e2e4');
  await settled(() => open.shown.id === null);
  assert.deepEqual([lineTo(open.shown.node), open.problem, open.missing], [['e2e4'], null, false]);
  close();
  const nothing = opened('/analyse?analysis=a9');
  await settled(() => nothing.open.problem !== null);
  nothing.close();
  const named = opened('/analyse/nope');
  await settled(() => named.open.missing);
  named.close();
});
