/**
 * Two lines at the top of the panel, always of the same height. The first says what matters most now: a fault, the cost of a
 * move, or the opening. The second is the line that goes with it; each of its moves can be put on the board. Both stay while
 * the engine runs.
 */

import type { Opening } from '../chess/openings.ts';
import type { ReviewPoint } from '../server/types.ts';
import { HEAT_NAMES, type Layers } from './layer-buttons.tsx';
import { LineText } from './line-text.tsx';
import { type TreeNode, isMainLine } from './tree.ts';
import type { Engine } from './use-engine.ts';
import { MARKS, type Reason, isFault, partsOf, sentenceOf } from './why.tsx';

interface Props {
  problem: string | null;
  dropping: boolean;
  hidden: boolean;
  onShow: () => void;
  engine: Engine;
  layers: Layers;
  reason: Reason | null;
  /** The review's entry for the position shown. */
  reviewed: ReviewPoint | null;
  opening: Opening | null;
  /** The headers of the PGN. */
  headers: ReadonlyMap<string, string>;
  node: TreeNode;
  onNode: (node: TreeNode) => void;
  onPreview: (node: TreeNode | null) => void;
}

export function Explained(props: Props) {
  return (
    <section class="explained" aria-label="What matters here">
      <Sentence {...props} />
      <Line {...props} />
    </section>
  );
}

function Sentence({ problem, dropping, hidden, onShow, engine, layers, reason, opening, headers, node }: Props) {
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
        <button type="button" class="link" onClick={onShow}>
          show it (z)
        </button>
      </p>
    );
  }
  if (engine.only.length > 0) {
    const names = engine.only.map((uci) => engine.trace?.moves.find((one) => one.uci === uci)?.san ?? uci);
    return (
      <p class="note-line">
        Only {names.join(', ')} ·{' '}
        <button type="button" class="link" onClick={engine.clearOnly}>
          all moves
        </button>
      </p>
    );
  }
  if (layers.heat !== 'off') return <p class="note-line">{HEAT_NAMES[layers.heat]}</p>;
  if (isFault(reason)) {
    const mark = MARKS[reason.point.judgement ?? ''];
    const [what, best] = partsOf(reason);
    return (
      <p class="note-line why-sentence" data-judgement={reason.point.judgement} title={sentenceOf(reason)}>
        <span>
          <b class="chip-mark">{mark}</b> {what}
        </span>
        <wbr />
        <span>{best}</span>
      </p>
    );
  }
  if (reason && !opening) return <p class="note-line">{sentenceOf(reason)}</p>;
  const own = headers.get('Opening') ? `${headers.get('ECO') ?? ''} ${headers.get('Opening')}` : null;
  // Once the game has left the book, the name given in its PGN is the better one.
  const named = opening && node.parent ? `${opening.code} ${opening.name}` : '';
  return <p class="note-line opening">{own && node.children.length === 0 && isMainLine(node) && node.parent ? own : named}</p>;
}

function Line({ reason, reviewed, hidden, node, onNode, onPreview }: Props) {
  if (hidden) return <p class="why-line" />;
  if (reason && reason.point.best !== reason.node.uci && reason.point.line.length > 0) {
    return <LineText name="Better" from={reason.before} sans={reason.point.line} onNode={onNode} onPreview={onPreview} />;
  }
  if (reviewed && reviewed.line.length > 0) {
    return <LineText name="Best here" from={node} sans={reviewed.line} onNode={onNode} onPreview={onPreview} />;
  }
  return <p class="why-line" />;
}
