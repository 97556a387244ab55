/** The game: its moves and the content of the other tabs, and the row of step buttons, which is always in reach. */

import type { FunctionComponent } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { StepButtons } from '../play/step-buttons.tsx';
import { go } from '../route.ts';
import { explain } from '../server/request.ts';
import type { Colour } from '../server/types.ts';
import { Boundary } from '../shell/boundary.tsx';
import { Menu } from '../shell/menu.tsx';
import { saveBlob } from '../shell/save.ts';
import { Tabs } from '../shell/tabs.tsx';
import { useMedia } from '../shell/use-media.ts';
import { ExplorerTab } from './explorer-tab.tsx';
import { gameMenu } from './game-menu.ts';
import { HumanTab } from './human-tab.tsx';
import { Notation } from './notation.tsx';
import { ReplayTab } from './replay-tab.tsx';
import { ReviewTab } from './review-tab.tsx';
import { useAnalysis } from './store.tsx';
import { TABS, type Tab } from './store/choices.ts';
import type { TreeNode } from './tree.ts';
import { TreeTab } from './tree-tab.tsx';

const CONTENTS: Record<Tab, FunctionComponent> = {
  moves: Notation,
  tree: TreeTab,
  replay: ReplayTab,
  human: HumanTab,
  openings: ExplorerTab,
  review: ReviewTab,
};

/** Windows in which the moves have a column of their own, and another tab is below the search (`styles/analyse/screen.css`). */
const MOVES_APART = '(min-width: 1800px)';

/** What is beside the moves until the reader chooses: it needs no search, only an evaluation and a look into a table a position. */
const BESIDE_MOVES: Tab = 'openings';

export function GamePanel() {
  const { tab: chosen, choose } = useAnalysis('choices');
  const apart = useMedia(MOVES_APART);
  const tab = apart && chosen === 'moves' ? BESIDE_MOVES : chosen;
  const Content = CONTENTS[tab];
  // Each content follows the store by itself.
  const content = useMemo(() => <Content />, [Content]);
  return (
    <>
      <section class="game-panel" aria-label="Game">
        <Tabs label="Game" tabs={TABS.filter(([name]) => name !== 'moves' || !apart)} value={tab} onChange={(next) => choose({ tab: next })} controls="game-tab" />
        {/* Each tab has its own element, so that none begins where another was scrolled to. */}
        <div key={tab} id="game-tab" class="tab-content scrolls" role="tabpanel" aria-label={TABS.find(([name]) => name === tab)?.[1]} data-tab={tab}>
          <Boundary what="This tab">{content}</Boundary>
        </div>
        {!apart && <Dock />}
      </section>
      {apart && <MovesColumn />}
    </>
  );
}

function MovesColumn() {
  const moves = useMemo(() => <Notation />, []);
  return (
    <section class="moves-panel" aria-label="Moves and steps">
      <div class="tab-content scrolls" data-tab="moves">
        <Boundary what="The list of moves">{moves}</Boundary>
      </div>
      <Dock />
    </section>
  );
}

/** Saves the board as it is, and returns what became of it. */
async function savePicture({ fen, ply }: TreeNode, orientation: Colour): Promise<string> {
  try {
    const { pictureOfBoard, pngOf } = await import('../board/picture.tsx');
    saveBlob(`board-${ply}.png`, await pngOf(pictureOfBoard(fen, orientation)));
    return 'Picture saved.';
  } catch (error) {
    return `No picture: ${explain(error)}`;
  }
}

/** Milliseconds for which the result of an action is shown. */
const SAID_MS = 4000;

function Dock() {
  const { tree, node, start, moves, setTree, setNode } = useAnalysis('game');
  const { choose, flip, orientation } = useAnalysis('choices');
  const { network } = useAnalysis('engine');
  const walk = useAnalysis('walk');
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const items = gameMenu(tree, node, {
    onTree: setTree,
    onNode: setNode,
    onDialog: (dialog) => choose({ dialog }),
    onPlay: () => go(`/?fen=${encodeURIComponent(node.fen)}`),
    onPlanes: () => go(`/networks/${encodeURIComponent(network)}?fen=${encodeURIComponent(start)}&moves=${moves.join(',')}#sees`),
    onFlip: flip,
    onPicture: () => void savePicture(node, orientation).then(setSaid),
    onSaid: setSaid,
  });
  return (
    <div class="dock">
      <StepButtons
        ply={node.ply}
        last={node.children.length > 0 ? node.ply + 1 : node.ply}
        onStep={(ply) => (ply === 0 ? walk.first() : ply < node.ply ? walk.back() : walk.forward())}
        onLast={walk.last}
        onFlip={flip}
      />
      <p class="said note" role="status">
        {said}
      </p>
      <Menu label="More" items={items} />
    </div>
  );
}
