/** The keys of the analysis. */

import { useKeys } from '../keys.ts';
import type { ArrowLabel } from './arrows.tsx';
import { toggled } from './layer-buttons.tsx';
import { useAnalysis } from './store.tsx';
import { removeFrom } from './tree.ts';

const LABELS: ArrowLabel[] = ['visits', 'win', 'prior'];

/** Draws nothing. A component, because its keys follow the search, and the panels beside it need not. */
export function AnalysisKeys(): null {
  const engineKeys = useEngineKeys();
  const rowKeys = useRowKeys();
  const { node, setNode } = useAnalysis('game');
  const { choose, tab, hidden, flip, turnView } = useAnalysis('choices');
  const walk = useAnalysis('walk');
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
    'Shift+ArrowRight': walk.toFork,
    'Shift+ArrowLeft': walk.outOfVariation,
    ArrowUp: walk.up,
    ArrowDown: walk.down,
    f: flip,
    z: () => choose({ hidden: !hidden }),
    $: walk.last,
    t: () => choose({ tab: tab === 'tree' ? 'moves' : 'tree' }),
    w: turnView,
    i: () => walk.jump('inaccuracy'),
    m: () => walk.jump('mistake'),
    b: () => walk.jump('blunder'),
    Delete: () => setNode(removeFrom(node)),
    ...rowKeys,
    ...engineKeys,
  });
  return null;
}

/** The search, the review, and what is drawn of them on the board. */
function useEngineKeys() {
  const { mainMoves } = useAnalysis('game');
  const { on, setOn, toggleSecond } = useAnalysis('engine');
  const { trace } = useAnalysis('search');
  const { layers, choose } = useAnalysis('choices');
  const { move } = useAnalysis('solving');
  const review = useAnalysis('review');
  const best = trace?.moves[0];
  const toggle = (layer: 'arrows' | 'heat' | 'threat') => () => choose({ layers: toggled(layers, layer) });
  return {
    l: () => setOn(!on),
    ' ': () => (on && best ? move(best.uci) : setOn(true)),
    a: toggle('arrows'),
    h: toggle('heat'),
    x: toggle('threat'),
    v: () => choose({ layers: { ...layers, label: LABELS[(LABELS.indexOf(layers.label) + 1) % LABELS.length] ?? 'visits' } }),
    n: toggleSecond,
    r: () => {
      choose({ tab: 'review' });
      if (mainMoves.length > 0) review.begin();
    },
  };
}

/** The rows of the table: `1` to `9` go to a row, with Shift its move is played, and `[` and `]` walk along its line. */
function useRowKeys() {
  const { trace } = useAnalysis('search');
  const { hovered, preview } = useAnalysis('pointed');
  const { show } = useAnalysis('point');
  const { move } = useAnalysis('solving');
  const walk = useAnalysis('walk');
  const buttons = () => [...document.querySelectorAll<HTMLElement>('.move-table tbody th button')];
  const playRow = (index: number) => {
    const uci = buttons()[index]?.closest('tr')?.dataset['uci'];
    if (uci) move(uci);
  };
  /** The line of the row under the pointer, or of the best move, on the small board. */
  const walkLine = (step: number) => {
    const traced = trace?.moves.find((one) => one.uci === (preview?.uci ?? hovered)) ?? trace?.moves[0];
    if (traced) show(traced, Math.max(1, Math.min(traced.variation_uci.length, (preview?.uci === traced.uci ? preview.length : 0) + step)));
  };
  const rowKeys = Object.fromEntries(
    [...'123456789'].flatMap((digit, index) => [
      [digit, () => buttons()[index]?.focus()],
      [`Shift+Digit${digit}`, () => playRow(index)],
    ]),
  );
  return {
    ...rowKeys,
    // On most keyboards this is the key of `$`, the end of the game; it plays a row only if there is such a row.
    'Shift+Digit4': () => (buttons().length > 3 ? playRow(3) : walk.last()),
    '[': () => walkLine(-1),
    ']': () => walkLine(1),
  };
}
