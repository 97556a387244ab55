/** The game: its graph, its moves and whatever else a tab shows, and the row of steps that is always in reach. */

import { useEffect, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { StepButtons } from '../play/step-buttons.tsx';
import type { ReviewView } from '../server/types.ts';
import { Boundary } from '../shell/boundary.tsx';
import { Menu, type MenuItem } from '../shell/menu.tsx';
import { Tabs } from '../shell/tabs.tsx';
import { Graph } from './graph.tsx';
import type { TreeNode } from './tree.ts';
import type { Walk } from './use-walk.ts';

export const TABS = [
  ['moves', 'Moves'],
  ['tree', 'Tree'],
  ['replay', 'Replay'],
  ['human', 'Human'],
  ['review', 'Review'],
] as const;
export type Tab = (typeof TABS)[number][0];

interface Props {
  tab: Tab;
  onTab: (tab: Tab) => void;
  note: ComponentChildren;
  review: ReviewView | null;
  line: readonly TreeNode[];
  node: TreeNode;
  onNode: (node: TreeNode) => void;
  /** The node under the pointer in the graph. */
  onPreview: (node: TreeNode | null) => void;
  walk: Walk;
  onFlip: () => void;
  menu: (say: (text: string) => void) => MenuItem[];
  /** The content of the tab. */
  children: ComponentChildren;
}

/** How long it is said what became of an action. */
const SAID_MS = 4000;

export function GamePanel(props: Props) {
  const { tab, review, line, node, walk } = props;
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const nameOf = (ply: number) => moveName(line[ply], ply);
  return (
    <section class="game-panel" aria-label="Game">
      {props.note}
      {review ? (
        <Graph
          points={review.points}
          positions={review.positions}
          ply={line.includes(node) ? node.ply : 0}
          moveName={nameOf}
          onChoose={(ply) => {
            const target = line[ply];
            if (target) props.onNode(target);
          }}
          onHover={(ply) => props.onPreview(ply === null ? null : (line[ply] ?? null))}
        />
      ) : (
        <p class="graph-empty note">A review draws White's chances over the game here.</p>
      )}
      <Tabs label="Game" tabs={TABS} value={tab} onChange={props.onTab} controls="game-tab" />
      <div id="game-tab" class="tab-content" role="tabpanel" aria-label={TABS.find(([name]) => name === tab)?.[1]} data-tab={tab}>
        <Boundary what="This tab" key={tab}>
          {props.children}
        </Boundary>
      </div>
      <div class="dock">
        <StepButtons
          ply={node.ply}
          last={node.children.length > 0 ? node.ply + 1 : node.ply}
          onStep={(ply) => (ply === 0 ? walk.first() : ply < node.ply ? walk.back() : walk.forward())}
          onLast={walk.last}
          onFlip={props.onFlip}
        />
        <p class="said note" role="status">
          {said}
        </p>
        <Menu label="More" items={props.menu(setSaid)} />
      </div>
    </section>
  );
}

function moveName(node: TreeNode | undefined, ply: number): string {
  if (!node?.san || ply === 0) return 'Start';
  return `${Math.ceil(ply / 2)}${ply % 2 ? '.' : '...'} ${node.san}`;
}
