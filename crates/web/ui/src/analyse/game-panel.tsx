/** The game: its moves and the content of the other tabs, and the row of step buttons, which is always in reach. */

import { useEffect, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { StepButtons } from '../play/step-buttons.tsx';
import { Boundary } from '../shell/boundary.tsx';
import { Menu, type MenuItem } from '../shell/menu.tsx';
import { Tabs } from '../shell/tabs.tsx';
import type { TreeNode } from './tree.ts';
import type { Walk } from './use-walk.ts';

export const TABS = [
  ['moves', 'Moves'],
  ['tree', 'Tree'],
  ['replay', 'Replay'],
  ['human', 'Human'],
  ['openings', 'Openings'],
  ['review', 'Review'],
] as const;
export type Tab = (typeof TABS)[number][0];

interface Props {
  tab: Tab;
  onTab: (tab: Tab) => void;
  node: TreeNode;
  walk: Walk;
  onFlip: () => void;
  menu: (say: (text: string) => void) => MenuItem[];
  /** The content of the tab. */
  children: ComponentChildren;
}

/** Milliseconds for which the result of an action is shown. */
const SAID_MS = 4000;

export function GamePanel(props: Props) {
  const { tab, node, walk } = props;
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <section class="game-panel" aria-label="Game">
      <Tabs label="Game" tabs={TABS} value={tab} onChange={props.onTab} controls="game-tab" />
      {/* Each tab has its own element, so that none begins where another was scrolled to. */}
      <div key={tab} id="game-tab" class="tab-content scrolls" role="tabpanel" aria-label={TABS.find(([name]) => name === tab)?.[1]} data-tab={tab}>
        <Boundary what="This tab">{props.children}</Boundary>
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
