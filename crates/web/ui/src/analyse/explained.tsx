/**
 * Two lines at the top of the panel, always of the same height. The first says what matters most now: a fault, the cost of a
 * move, or the opening. The second is the line that goes with it; each of its moves can be put on the board. Without one it has
 * the legend of the arrows. Both stay while the engine runs.
 */

import { useMemo } from 'preact/hooks';
import type { Opening } from '../chess/openings.ts';
import { useOpening } from '../chess/use-opening.ts';
import { HEAT_NAMES } from './layer-buttons.tsx';
import { Legend } from './legend.tsx';
import { LineText } from './line-text.tsx';
import { MARKS, type Reason, isFault, partsOf, sentenceOf } from './reason.ts';
import { useAnalysis } from './store.tsx';
import { type TreeNode, isMainLine } from './tree.ts';

export function Explained() {
  return (
    <section class="explained" aria-label="What matters here">
      <Sentence />
      <Line />
    </section>
  );
}

function Sentence() {
  const { choose, hidden, layers } = useAnalysis('choices');
  const { only } = useAnalysis('engine');
  const { dropping } = useAnalysis('incoming');
  const { solving } = useAnalysis('solving');
  const review = useAnalysis('review');
  const problem = useAnalysis('problem');
  const opening = useShownOpening();
  const reason = solving ? null : review.reason;
  if (problem) {
    return (
      <p class="note-line problem" role="alert" title={problem}>
        {problem}
      </p>
    );
  }
  if (dropping) return <p class="note-line drop-note">Let go to import the game.</p>;
  if (hidden) {
    return (
      <p class="note-line">
        The engine's output is hidden ·{' '}
        <button type="button" class="link" onClick={() => choose({ hidden: false })}>
          show it (z)
        </button>
      </p>
    );
  }
  if (only.length > 0) return <Restriction />;
  if (layers.heat !== 'off') return <p class="note-line">{HEAT_NAMES[layers.heat]}</p>;
  if (isFault(reason)) return <FaultText reason={reason} />;
  if (reason && !opening) return <p class="note-line">{sentenceOf(reason)}</p>;
  return <OpeningName opening={opening} />;
}

/** The moves to which the search is restricted. */
function Restriction() {
  const { only, clearOnly } = useAnalysis('engine');
  const { trace } = useAnalysis('search');
  const names = only.map((uci) => trace?.moves.find((one) => one.uci === uci)?.san ?? uci);
  return (
    <p class="note-line">
      Only {names.join(', ')} ·{' '}
      <button type="button" class="link" onClick={clearOnly}>
        all moves
      </button>
    </p>
  );
}

function FaultText({ reason }: { reason: Reason }) {
  const [what, best] = partsOf(reason);
  return (
    <p class="note-line why-sentence" data-judgement={reason.point.judgement} title={sentenceOf(reason)}>
      <span>
        <b class="chip-mark">{MARKS[reason.point.judgement ?? '']}</b> {what}
      </span>
      <wbr />
      <span>{best}</span>
    </p>
  );
}
function OpeningName({ opening }: { opening: Opening | null }) {
  const { node, tree: { headers } } = useAnalysis('game');
  const own = headers.get('Opening') ? `${headers.get('ECO') ?? ''} ${headers.get('Opening')}` : null;
  // Once the game has left the book, the name given in its PGN is the better one.
  const named = opening && node.parent ? `${opening.code} ${opening.name}` : '';
  return <p class="note-line opening">{own && node.children.length === 0 && isMainLine(node) && node.parent ? own : named}</p>;
}

function useShownOpening(): Opening | null {
  const { node } = useAnalysis('game');
  return useOpening(useMemo(() => fensTo(node), [node]));
}

/** The positions from the start to a node. */
function fensTo(node: TreeNode): string[] {
  const fens: string[] = [];
  for (let at: TreeNode | null = node; at; at = at.parent) fens.unshift(at.fen);
  return fens;
}

/** The line that goes with the sentence. */
function Line() {
  const { node } = useAnalysis('game');
  const { hidden } = useAnalysis('choices');
  const { solving } = useAnalysis('solving');
  const { reason, reviewed } = useAnalysis('review');
  if (hidden || solving) return <p class="why-line" />;
  if (reason && reason.point.best !== reason.node.uci && reason.point.line.length > 0) {
    return <LineText name="Better" from={reason.before} sans={reason.point.line} />;
  }
  if (reviewed && reviewed.line.length > 0) return <LineText name="Best here" from={node} sans={reviewed.line} />;
  return <Legend />;
}
