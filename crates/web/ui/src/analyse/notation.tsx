/**
 * The game with its variations: the main line in two columns with the value of each position, variations indented between
 * its rows, and every move a button. On a phone, or if the reader prefers it, the game is running text.
 */

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Judgement } from '../server/types.ts';
import { type ValueUnit, useSettings } from '../settings.ts';
import { useInSight } from '../shell/in-sight.ts';
import { useMedia } from '../shell/use-media.ts';
import type { GraphValue } from './graph.tsx';
import { percentOf, signedPawns } from './numbers.ts';
import { MARKS } from './reason.ts';
import { seenValue } from './seen.ts';
import { useAnalysis } from './store.tsx';
import type { TreeNode } from './tree.ts';

const GLYPHS: Record<number, string> = { 1: '!', 2: '?', 3: '!!', 4: '??', 5: '!?', 6: '?!' };

/** Width up to which two columns would make a game very long. */
const NARROW = '(max-width: 639px)';

export function Notation() {
  const { tree: { root }, node: current, setNode } = useAnalysis('game');
  const values = useAnalysis('values');
  const { choose } = useAnalysis('choices');
  const box = useRef<HTMLDivElement>(null);
  useInSight(box, [current]);
  const { unit, moves } = useSettings();
  const running = useMedia(NARROW) || moves === 'text';
  const view: View = { current, values, unit, onChoose: setNode };
  return (
    <div class="notation" ref={box} tabIndex={0} role="region" aria-label="Moves">
      {root.comments.map((comment, index) => (
        <p key={index} class="comment">
          {comment}
        </p>
      ))}
      {root.children.length === 0 && (
        <p class="note">
          No move yet. Move a piece, import a game, or open one of the{' '}
          <button type="button" class="link" onClick={() => choose({ dialog: 'analyses' })}>
            last analyses
          </button>
          .
        </p>
      )}
      <MainLine root={root} view={view} running={running} />
    </div>
  );
}

interface View {
  current: TreeNode;
  /** Values of the main line's positions, by ply. */
  values: readonly (GraphValue | null)[];
  unit: ValueUnit;
  onChoose: (node: TreeNode) => void;
}

/** Number, White's move, Black's move; comments and variations take a row of their own, after which the number is repeated. */
function MainLine({ root, view, running }: { root: TreeNode; view: View; running: boolean }) {
  const cells: ComponentChildren[] = [];
  let broken = true;
  for (let node = root; node.children[0]; ) {
    const [next, ...others] = node.children as [TreeNode, ...TreeNode[]];
    const [, turn, , , , number] = node.fen.split(' ');
    const key = `${next.ply}-${next.uci}`;
    if (turn === 'w' || broken) {
      cells.push(
        <span key={`${key}-number`} class="move-number figure">
          {number}.
        </span>,
      );
    }
    if (turn === 'b' && broken) cells.push(<span key={`${key}-gap`} class="move-gap">...</span>);
    const numbered = turn === 'w' || broken ? `${number}${turn === 'w' ? '.' : '...'}` : undefined;
    cells.push(<MoveText key={key} node={next} view={view} main={true} number={numbered} />);
    broken = next.comments.length > 0 || others.length > 0;
    if (broken && turn === 'w') cells.push(<span key={`${key}-rest`} class="move-rest" />);
    if (broken) {
      cells.push(
        <div key={`${key}-between`} class="between">
          {next.comments.map((comment, index) => (
            <p key={index} class="comment">
              {comment}
            </p>
          ))}
          {others.length > 0 && <Variations others={others} view={view} nested={false} />}
        </div>,
      );
    }
    node = next;
  }
  return <div class={running ? 'main-line running' : 'main-line'}>{cells}</div>;
}

function Variations({ others, view, nested }: { others: readonly TreeNode[]; view: View; nested: boolean }) {
  return (
    <div class={nested ? 'variations nested' : 'variations'}>
      {others.map((other) => (
        <p key={other.uci} class="variation">
          {other.introduction.join(' ')}
          <Numbered node={other} view={view} />
          <Line from={other} view={view} numbered={other.comments.length > 0} />
        </p>
      ))}
    </div>
  );
}

/** Everything after a node of a variation: its first continuation, then the others, then the rest of the line. */
function Line({ from, view, numbered }: { from: TreeNode; view: View; numbered: boolean }) {
  const parts: ComponentChildren[] = [];
  let needsNumber = numbered;
  for (let node = from; node.children[0]; ) {
    const [next, ...others] = node.children as [TreeNode, ...TreeNode[]];
    const white = node.fen.split(' ')[1] === 'w';
    const key = `${next.ply}-${next.uci}`;
    parts.push(white || needsNumber ? <Numbered key={key} node={next} view={view} /> : <Commented key={key} node={next} view={view} />);
    needsNumber = next.comments.length > 0 || others.length > 0;
    if (others.length > 0) parts.push(<Variations key={`${key}-others`} others={others} view={view} nested={true} />);
    node = next;
  }
  return <>{parts}</>;
}

function Numbered({ node, view }: { node: TreeNode; view: View }) {
  const [, turn, , , , number] = (node.parent?.fen ?? '').split(' ');
  return (
    // A move is always on the same line as its number.
    <>
      <span class="move-group">
        <span class="move-number figure">{turn === 'w' ? `${number}.` : `${number}...`}</span>
        <MoveText node={node} view={view} main={false} />
      </span>
      <Comments node={node} />
    </>
  );
}

function Commented({ node, view }: { node: TreeNode; view: View }) {
  return (
    <>
      <MoveText node={node} view={view} main={false} />
      <Comments node={node} />
    </>
  );
}

function Comments({ node }: { node: TreeNode }) {
  return (
    <>
      {node.comments.map((comment, index) => (
        <span key={index} class="comment">
          {comment}
        </span>
      ))}
    </>
  );
}

/** A move with its value. `number` is written before it in running text, so that no number is at the end of a line. */
function MoveText({ node, view, main, number }: { node: TreeNode; view: View; main: boolean; number?: string | undefined }) {
  const known = main ? view.values[node.ply] : undefined;
  const judgement: Judgement | undefined = known?.judgement ?? undefined;
  const mark = node.glyphs.map((glyph) => GLYPHS[glyph] ?? '').join('') || (judgement ? (MARKS[judgement] ?? '') : '');
  const white = known?.white ?? (main ? undefined : seenValue(node.fen)?.white);
  const percent = white && percentOf(white);
  return (
    <span class="move-cell" data-number={number}>
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
      {percent !== undefined && (
        <small class="move-value figure" title={`${percent.toFixed(1)} % for White`}>
          {main && (
            <span class="move-bar" aria-hidden="true">
              <span style={{ width: `${percent.toFixed(0)}%` }} />
            </span>
          )}
          <span class="move-percent">{view.unit === 'pawns' ? signedPawns(percent, 1) : Math.round(percent)}</span>
        </small>
      )}
    </span>
  );
}
