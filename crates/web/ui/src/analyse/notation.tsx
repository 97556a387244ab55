/** The game with its variations as text: the main line in full size, variations indented, every move a button. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ReviewPoint } from '../server/types.ts';
import { type ValueUnit, useSettings } from '../settings.ts';
import { signedPawns } from './numbers.ts';
import { MARKS } from './why.tsx';
import type { TreeNode } from './tree.ts';

const GLYPHS: Record<number, string> = { 1: '!', 2: '?', 3: '!!', 4: '??', 5: '!?', 6: '?!' };

interface Props {
  root: TreeNode;
  current: TreeNode;
  /** What a review says of the main line's positions, by ply. */
  points: readonly ReviewPoint[];
  onChoose: (node: TreeNode) => void;
}

export function Notation({ root, current, points, onChoose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const chosen = box.current?.querySelector<HTMLElement>('[aria-current]');
    if (!chosen || !box.current) return;
    const { offsetTop, offsetHeight } = chosen;
    const { scrollTop, clientHeight } = box.current;
    if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight) {
      box.current.scrollTop = offsetTop - clientHeight / 2;
    }
  }, [current]);
  const { unit } = useSettings();
  const view: View = { current, points, unit, onChoose };
  return (
    <div class="notation" ref={box} tabIndex={0} role="region" aria-label="Moves">
      {root.comments.map((comment, index) => (
        <span key={index} class="comment">
          {comment}
        </span>
      ))}
      {root.children.length === 0 && <span class="note">No move yet. Move a piece, or import a game.</span>}
      <Line from={root} view={view} main={true} numbered={true} />
    </div>
  );
}

interface View {
  current: TreeNode;
  points: readonly ReviewPoint[];
  unit: ValueUnit;
  onChoose: (node: TreeNode) => void;
}

/** Everything after a node: its first continuation, and the others as variations in front of what follows. */
function Line({ from, view, main, numbered }: { from: TreeNode; view: View; main: boolean; numbered: boolean }) {
  const parts: ComponentChildren[] = [];
  let needsNumber = numbered;
  for (let node = from; node.children[0]; ) {
    const [next, ...others] = node.children as [TreeNode, ...TreeNode[]];
    parts.push(<MoveText key={`${next.ply}-${next.uci}`} node={next} view={view} main={main} numbered={needsNumber} />);
    needsNumber = next.comments.length > 0;
    if (others.length > 0) {
      parts.push(
        <div key={`${next.ply}-others`} class={main ? 'variations' : 'variations nested'}>
          {others.map((other) => (
            <p key={other.uci} class="variation">
              {other.introduction.join(' ')}
              <MoveText node={other} view={view} main={false} numbered={true} />
              <Line from={other} view={view} main={false} numbered={other.comments.length > 0} />
            </p>
          ))}
        </div>,
      );
      needsNumber = true;
    }
    node = next;
  }
  return <>{parts}</>;
}

function MoveText({ node, view, main, numbered }: { node: TreeNode; view: View; main: boolean; numbered: boolean }) {
  const [, turn, , , , number] = (node.parent?.fen ?? '').split(' ');
  const white = turn === 'w';
  const judgement = (main && view.points[node.ply - 1]?.judgement) || undefined;
  const mark = node.glyphs.map((glyph) => GLYPHS[glyph] ?? '').join('') || (judgement ? (MARKS[judgement] ?? '') : '');
  const value = main ? view.points[node.ply] : undefined;
  return (
    <>
      {/* A move never stands on another line than its number, its mark and its value. */}
      <span class="move-group">
        {(white || numbered) && <span class="move-number figure">{white ? `${number}.` : `${number}...`}</span>}
        <button
          type="button"
          class="move"
          data-judgement={judgement}
          aria-current={node === view.current ? 'step' : undefined}
          onClick={() => view.onChoose(node)}
        >
          {node.san}
          {mark}
        </button>
        {value && (
          <small class="move-value figure" title={`${value.white_percent.toFixed(1)} % for White`}>
            {view.unit === 'pawns' ? signedPawns(value.white_percent, 1) : Math.round(value.white_percent)}
          </small>
        )}
      </span>
      {node.comments.map((comment, index) => (
        <span key={index} class="comment">
          {comment}
        </span>
      ))}
    </>
  );
}
