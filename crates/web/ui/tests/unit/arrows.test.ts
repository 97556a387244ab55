import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Arrow, BADGE, DISC, badgeAt, centreOf, discOf, labelsOf, shaftOf } from '../../src/analyse/arrow-layout.ts';
import { EXPECTED } from '../../src/analyse/pgn-faults.ts';
import { readAnything } from '../../src/analyse/read.ts';
import { strayWords } from '../../src/analyse/stray-words.ts';
import { absences, worths } from '../../src/analyse/use-worth.ts';
import { numbered, pawnsOf } from '../../src/analyse/numbers.ts';

const arrow = (uci: string, kind: Arrow['kind'] = 'net-a', label = '41'): Arrow => ({ id: `${kind}-${uci}`, uci, kind, width: 0.1, opacity: 1, label });

function labelled(arrows: Arrow[], orientation: 'white' | 'black' = 'white') {
  const shafts = arrows.map((one) => shaftOf(one, arrows, orientation));
  return { shafts, labels: labelsOf(shafts) };
}

test('labels never touch: one target, two networks, both sides of the board', () => {
  const crowd = ['g1f3', 'd1f3', 'e2f3', 'f1f3', 'g2f3', 'h2f3'].map((uci) => arrow(uci));
  const pair = [arrow('e2e4', 'net-b'), arrow('e2e4', 'net-a'), arrow('d2d4', 'net-b'), arrow('d2d4', 'net-a'), arrow('a2a3', 'net-b'), arrow('a2a3', 'net-a')];
  for (const arrows of [crowd, pair]) {
    for (const orientation of ['white', 'black'] as const) {
      const { labels } = labelled(arrows, orientation);
      assert.ok(labels.length >= arrows.length - 2, `${labels.length} of ${arrows.length} labels`);
      for (const [index, one] of labels.entries()) {
        for (const other of labels.slice(index + 1)) {
          const apart = Math.hypot(one.at[0] - other.at[0], one.at[1] - other.at[1]);
          assert.ok(apart >= 2 * DISC, `${one.arrow.id} and ${other.arrow.id} are ${apart} apart`);
        }
      }
    }
  }
});

test('a label is never under the glyph of the move', () => {
  // The reply takes the piece that has just moved, so that its arrow goes through the corner with the glyph.
  for (const orientation of ['white', 'black'] as const) {
    for (const arrows of [[arrow('d5c4')], [arrow('d5c4', 'net-b'), arrow('d5c4', 'net-a')], [arrow('g8c4'), arrow('b5c4')]]) {
      const badge = badgeAt('c4', orientation);
      const labels = labelsOf(arrows.map((one) => shaftOf(one, arrows, orientation)), { badge });
      assert.ok(labels.length > 0, 'no label is left');
      for (const { at } of labels) assert.ok(Math.hypot(at[0] - badge[0], at[1] - badge[1]) >= BADGE + DISC, `${at.join(' ')} is under the glyph`);
    }
  }
  assert.deepEqual(badgeAt('h8', 'white'), [7.78, 0.22], 'beyond the edge');
});

test('larger labels of small boards do not touch either', () => {
  const arrows = [arrow('e2e4', 'net-b'), arrow('e2e4', 'net-a'), arrow('d2d4', 'net-b'), arrow('d2d4', 'net-a')];
  const labels = labelsOf(arrows.map((one) => shaftOf(one, arrows, 'white')), { scale: 1.8 });
  assert.equal(labels.length, 4);
  for (const [index, one] of labels.entries()) for (const other of labels.slice(index + 1)) assert.ok(Math.hypot(one.at[0] - other.at[0], one.at[1] - other.at[1]) >= 2 * 1.8 * DISC);
});

test('on small boards the steps of a king have their figures on their squares, not in a heap on the king', () => {
  const arrows = ['e4d4', 'e4d5', 'e4f5'].map((uci) => arrow(uci));
  const labels = labelsOf(arrows.map((one) => shaftOf(one, arrows, 'white')), { scale: 1.8 });
  assert.equal(labels.length, 3);
  for (const { arrow: { uci }, at } of labels) {
    const [x, y] = centreOf(uci.slice(2, 4), 'white');
    assert.ok(Math.hypot(at[0] - x, at[1] - y) < 1e-9, `${uci} at ${at.join(' ')}`);
  }
});

test('three digits have a larger disc, which touches no other', () => {
  assert.ok(discOf('100') > discOf('99'));
  const arrows = [arrow('e2e4', 'net-b', '100'), arrow('e2e4', 'net-a', '100'), arrow('d1e2', 'net-b', '+1.3')];
  const { labels } = labelled(arrows);
  assert.equal(labels.length, 3);
  for (const [index, one] of labels.entries()) {
    for (const other of labels.slice(index + 1)) assert.ok(Math.hypot(one.at[0] - other.at[0], one.at[1] - other.at[1]) >= discOf(one.arrow.label) + discOf(other.arrow.label));
  }
});

test('an arrow to the next square has a shaft before its head, and the best label is nearest to it', () => {
  const arrows = [arrow('e2d3'), arrow('e2e3')];
  const { shafts, labels } = labelled(arrows);
  for (const { from, neck, length, head } of shafts) {
    assert.ok(Math.hypot(neck[0] - from[0], neck[1] - from[1]) > 0.5 * length, 'a stub');
    assert.ok(head <= 0.28);
  }
  assert.equal(labels[0]?.arrow.uci, 'e2e3', 'the last drawn is the best and placed first');
});

test('moves of one piece along one line: the shorter is a disc on its square, as is one with hardly a visit', () => {
  const arrows = [arrow('e7e5'), arrow('e7e6'), arrow('a1h8'), arrow('a1b2'), arrow('a1a3'), { ...arrow('g8f6'), faint: true }, arrow('e7e6', 'net-b')];
  for (const orientation of ['white', 'black'] as const) {
    const { shafts, labels } = labelled(arrows, orientation);
    assert.deepEqual(shafts.filter(({ dot }) => dot).map((one) => one.arrow.id), ['net-a-e7e6', 'net-a-a1b2', 'net-a-g8f6']);
    const at = labels.find((label) => label.arrow.id === 'net-a-a1b2')?.at ?? [0, 0];
    const centre = orientation === 'white' ? [1.5, 6.5] : [6.5, 1.5];
    assert.ok(Math.hypot(at[0] - (centre[0] ?? 0), at[1] - (centre[1] ?? 0)) < 1e-9, 'its figure is on its square');
  }
});

test('stray words among moves are found where they stand, and comments, numbers and signs are not', () => {
  const found = strayWords('[Event "Foo Bar"]\n\n1. e4 {Nonsense here} e5 $4 2.Nf3!? Nc6 ; rest of line\n3. Bb5 a6 (3... Nf6 4. O-O) 4. Nxz4 Nf6 1-0');
  assert.deepEqual(found.map(({ text }) => text), ['Nxz4']);
  const { faults, games } = readAnything('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Nxz4 Nf6 *');
  assert.deepEqual(faults, [{ game: 1, line: 1, column: 34, found: 'Nxz4', expected: EXPECTED.move }]);
  assert.equal(games.length, 1);
  // A board without the other fields, or some of them, gets the usual ones.
  assert.equal(readAnything('4k3/8/8/8/8/8/4P3/4K3 b').games[0]?.root.fen, '4k3/8/8/8/8/8/4P3/4K3 b - - 0 1');
  assert.equal(readAnything('4k3/8/8/8/8/8/4P3/4K3').games[0]?.root.fen, '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1');
  assert.equal(readAnything('4k3/8/8/8/8/8/4P3/4K3 b - - 0').games[0]?.root.fen, '4k3/8/8/8/8/8/4P3/4K3 b - - 0 1');
  const repeated = readAnything('1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf3 *');
  assert.deepEqual(repeated.faults.map(({ column }) => column), [30], 'the second Nf3 of the move is blamed');
});

test('what is no game says what it is', () => {
  for (const [text, said] of [
    ['lorem ipsum', 'Neither a FEN nor moves nor PGN'],
    ['https://lichess.org/x', 'This is an address'],
    ['8/8/8/8/8/8/8 w - - 0 1', 'The FEN cannot be read'],
    ['4k3/8/8/8/8/8/8/8 w - - 0 1', 'exactly one king'],
  ] as const) {
    const { games, problem } = readAnything(text);
    assert.equal(games.length, 0, text);
    assert.ok(problem?.includes(said), `${text}: ${problem}`);
  }
  assert.equal(readAnything('e2e4 e7e5').games[0]?.root.children.length, 1);
});

test("a piece's worth is the change of its owner's value in pawns, whoever is to move", () => {
  for (const turn of ['w', 'b'] as const) {
    const fen = `4k3/3p4/8/8/8/8/8/R3K3 ${turn} - - 0 1`;
    const parts = absences(fen);
    assert.deepEqual(parts.map(({ square }) => square).sort(), ['a1', 'd7']);
    // White has 80 % with everything, 30 % without the rook, 90 % without Black's pawn; the answers are for the mover.
    const white: Record<string, number> = { a1: 0.3, d7: 0.9 };
    const sight = (share: number) => ({ wdl: (turn === 'w' ? [share, 0, 1 - share] : [1 - share, 0, share]) as [number, number, number], moves: [] });
    const found = worths(fen, parts, [sight(0.8), ...parts.map(({ square }) => sight(white[square] ?? 0))]);
    const [rook = 0, pawn = 0] = [found.get('a1'), found.get('d7')];
    assert.ok(Math.abs(rook - (pawnsOf(80) - pawnsOf(30))) < 1e-9, String(rook));
    assert.ok(Math.abs(pawn - (pawnsOf(90) - pawnsOf(80))) < 1e-9, String(pawn));
    // Both leave next to nothing of an even game, and are told apart all the same.
    const pair = worths(fen, parts, [sight(0.5), ...parts.map(({ square }) => sight(square === 'a1' ? 0.01 : 0.96))]);
    assert.ok((pair.get('a1') ?? 0) > 1.4 * (pair.get('d7') ?? 0), String([...pair]));
  }
});

test('lines have move numbers, also where Black begins', () => {
  assert.deepEqual(numbered(['Rag1', 'Kh8', 'h4'], '8/8/8/8/8/8/8/8 w - - 0 26'), ['26. Rag1', 'Kh8', '27. h4']);
  assert.deepEqual(numbered(['Kh8', 'h4'], '8/8/8/8/8/8/8/8 b - - 0 26'), ['26... Kh8', '27. h4']);
});
