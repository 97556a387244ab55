/** Steps through the game on the board, and the keys for them and for everything else on the screen. */

import { useKeys } from '../keys.ts';
import type { Colour, ReviewView } from '../server/types.ts';
import type { ArrowLabel } from './arrows.tsx';
import { type Layers, toggled } from './layer-buttons.tsx';
import { nextJudged } from './review-panel.tsx';
import { leaveVariation, nextFork } from './screen-parts.ts';
import { type GameTree, type TreeNode, mainLine, removeFrom } from './tree.ts';
import type { Engine } from './use-engine.ts';

export interface Walk {
  back: () => void;
  forward: () => void;
  first: () => void;
  last: () => void;
  /** Goes to the next move of a kind that the side at the bottom played. */
  jump: (kind: 'inaccuracy' | 'mistake' | 'blunder') => void;
}

interface Place {
  tree: GameTree;
  node: TreeNode;
  setNode: (node: TreeNode) => void;
  line: readonly TreeNode[];
  review: ReviewView | null;
  orientation: Colour;
}

export function walkOf({ tree, node, setNode, line, review, orientation }: Place): Walk {
  const [next] = node.children;
  return {
    back: () => node.parent && setNode(node.parent),
    forward: () => next && setNode(next),
    first: () => setNode(tree.root),
    last: () => setNode(mainLine(node).at(-1) ?? node),
    jump: (kind) => {
      const found = review && nextJudged(review, kind, node.ply, orientation, tree.root.fen.split(' ')[1] === 'w');
      const target = found === null ? undefined : line[found + 1];
      if (target) setNode(target);
    },
  };
}

interface Controls {
  walk: Walk;
  node: TreeNode;
  setNode: (node: TreeNode) => void;
  engine: Engine;
  layers: Layers;
  setLayers: (layers: Layers) => void;
  move: (uci: string) => void;
  flip: () => void;
  hide: () => void;
  turnView: () => void;
  review: () => void;
  toggleTree: () => void;
  /** Walks the line of a row on the small board. */
  preview: (step: number) => void;
}

const LABELS: ArrowLabel[] = ['visits', 'win', 'prior'];

export function useAnalysisKeys(controls: Controls): void {
  const { walk, node, setNode, engine, layers, setLayers, move } = controls;
  const rowButtons = () => [...document.querySelectorAll<HTMLElement>('.move-table tbody th button')];
  const playRow = (index: number) => {
    const uci = rowButtons()[index]?.closest('tr')?.dataset['uci'];
    if (uci) move(uci);
  };
  const sibling = (step: number) => {
    const choices = node.parent?.children ?? [];
    const next = choices[choices.indexOf(node) + step];
    if (next) setNode(next);
  };
  const atFork = node.parent !== null && node.parent.children.length > 1;
  const best = engine.trace?.moves[0];
  const rowKeys = Object.fromEntries(
    [...'123456789'].flatMap((digit, index) => [
      [digit, () => rowButtons()[index]?.focus()],
      [`Shift+Digit${digit}`, () => playRow(index)],
    ]),
  );
  useKeys({
    ArrowLeft: walk.back,
    ArrowRight: walk.forward,
    k: walk.back,
    j: walk.forward,
    ',': walk.back,
    '.': walk.forward,
    Home: walk.first,
    End: walk.last,
    '0': walk.first,
    'Shift+ArrowRight': () => setNode(nextFork(node)),
    'Shift+ArrowLeft': () => setNode(leaveVariation(node)),
    ArrowUp: () => (atFork ? sibling(-1) : walk.first()),
    ArrowDown: () => (atFork ? sibling(1) : walk.last()),
    f: controls.flip,
    l: () => engine.setOn(!engine.on),
    ' ': () => (engine.on && best ? move(best.uci) : engine.setOn(true)),
    a: () => setLayers(toggled(layers, 'arrows')),
    h: () => setLayers(toggled(layers, 'heat')),
    x: () => setLayers(toggled(layers, 'threat')),
    v: () => setLayers({ ...layers, label: LABELS[(LABELS.indexOf(layers.label) + 1) % LABELS.length] ?? 'visits' }),
    z: controls.hide,
    '[': () => controls.preview(-1),
    ']': () => controls.preview(1),
    ...rowKeys,
    // On most keyboards this is the shifted 4, which is also the key of a row, but only if there is such a row.
    $: walk.last,
    'Shift+Digit4': () => (rowButtons().length > 3 ? playRow(3) : walk.last()),
    n: engine.toggleSecond,
    t: controls.toggleTree,
    w: controls.turnView,
    r: controls.review,
    i: () => walk.jump('inaccuracy'),
    m: () => walk.jump('mistake'),
    b: () => walk.jump('blunder'),
    Delete: () => setNode(removeFrom(node)),
  });
}
