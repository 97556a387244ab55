/**
 * The search tree as an icicle: the root at the left, one column per ply, each block as high as its share of the root's
 * visits and coloured by its value. A list shows the same to those who cannot see it.
 */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import type { TracedBranch, TreeView } from '../server/types.ts';
import { findBranch, lineOf, sansOf } from './branches.ts';
import { Blocks, layOut } from './icicle.tsx';
import { percentOf } from './numbers.ts';
import { useAnalysis } from './store.tsx';
import { playLine } from './tree.ts';
import { TreeList } from './tree-list.tsx';

/** The tree of a recorded step so early that the server had not sent its tree yet. */
const NO_TREE: TreeView = { key: 0, visits: 0, branches: [] };

export function TreeTab() {
  const { view, replay } = useAnalysis('search');
  const searched = view !== null;
  const key = view?.key ?? null;
  const recorded = replay.shown && (replay.shown.tree ?? NO_TREE);
  // The tree arrives by itself, less often than the states of the search.
  return useMemo(() => <SearchTree searched={searched} searchKey={key} recorded={recorded} />, [searched, key, recorded]);
}

interface Props {
  /** True if a search is running or has run in this position. */
  searched: boolean;
  searchKey: number | null;
  /** The tree of a recorded step, shown instead of the live one. */
  recorded: TreeView | null;
}

function SearchTree({ searched, searchKey, recorded }: Props) {
  const { node, setNode, whiteToMove } = useAnalysis('game');
  const { on, setOn } = useAnalysis('engine');
  const { hover } = useAnalysis('point');
  const [zoom, setZoom] = useState<string[]>([]);
  const [asList, setAsList] = useState(false);
  const frozen = useRef(false);
  const tree = useLiveTree(searched, frozen);
  useEffect(() => setZoom([]), [searchKey, recorded]);
  const shown = recorded ?? (tree && tree.key === searchKey ? tree : null);
  const branches = shown?.branches ?? NO_TREE.branches;
  const top = useMemo(() => findBranch(branches, zoom), [branches, zoom]);
  const blocks = useMemo(() => layOut(branches, top, top === null ? (shown?.visits ?? 0) : (branches[top]?.visits ?? 0)), [branches, top]);
  const white = (branch: TracedBranch) => (whiteToMove ? percentOf(branch.wdl) : 100 - percentOf(branch.wdl));
  const goTo = (line: string[]) => setNode(playLine(node, line));
  if (blocks.length === 0 && zoom.length === 0) {
    return (
      <p class="note">
        The branches that the engine searches most appear here.{' '}
        {!on && (
          <button type="button" class="link" onClick={() => setOn(true)}>
            Start the engine (l)
          </button>
        )}
      </p>
    );
  }
  const zoomOut = () => setZoom(zoom.slice(0, -1));
  return (
    <section class="tree" aria-label="Search tree">
      <div class="button-row">
        <button type="button" disabled={zoom.length === 0} onClick={zoomOut}>
          Zoom out
        </button>
        <button type="button" aria-pressed={asList} onClick={() => setAsList(!asList)}>
          As list
        </button>
        <span class="note">{zoom.length > 0 && top !== null ? `below ${sansOf(branches, top).join(' ')}` : 'click to zoom in; double-click or Enter to play'}</span>
      </div>
      {asList ? (
        <TreeList branches={branches} visits={shown?.visits ?? 0} white={white} onLine={(index) => goTo(lineOf(branches, index))} />
      ) : (
        <div
          class="icicle"
          onPointerEnter={() => {
            frozen.current = true;
          }}
          onPointerLeave={() => {
            frozen.current = false;
            hover(null);
          }}
        >
          {blocks.length === 0 && <p class="note icicle-empty">Nothing below it has enough visits to show.</p>}
          <Blocks branches={branches} blocks={blocks} white={white} onHover={hover} onZoom={setZoom} onZoomOut={zoomOut} onLine={goTo} />
        </div>
      )}
    </section>
  );
}

/** The newest tree of the search, which stands still while `frozen`. */
function useLiveTree(searched: boolean, frozen: { readonly current: boolean }): TreeView | null {
  const [tree, setTree] = useState<TreeView | null>(null);
  useEffect(() => {
    if (!searched) return undefined;
    return live.listen('tree/a', (data) => {
      if (frozen.current || !data || typeof data !== 'object' || 'refused' in data) return;
      setTree(data as TreeView);
    });
  }, [searched]);
  return tree;
}
