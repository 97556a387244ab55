/** The curve of the game on the board, from a review and from the engine's results for its positions. */

import { useMemo } from 'preact/hooks';
import { useOpeningEnd } from '../chess/use-opening.ts';
import { Graph } from './graph.tsx';
import { phasesOf } from './phases.ts';
import { useAnalysis } from './store.tsx';
import { timesOf } from './times.ts';
import type { TreeNode } from './tree.ts';

export function GraphPanel() {
  const { line, node, setNode, tree } = useAnalysis('game');
  const { orientation } = useAnalysis('choices');
  const { look } = useAnalysis('point');
  const known = useAnalysis('values');
  const values = useMemo(() => line.map((_, ply) => known[ply] ?? null), [known, line]);
  const fens = useMemo(() => line.map((one) => one.fen), [line]);
  const openingEnd = useOpeningEnd(fens);
  const phases = useMemo(() => {
    const all = phasesOf(fens, openingEnd);
    // One phase is the whole game.
    return new Set(all).size > 1 ? all : [];
  }, [fens, openingEnd]);
  const times = useMemo(() => timesOf(line, tree.headers.get('TimeControl')), [line, tree]);
  return (
    <section class="graph-panel" aria-label="Course of the game">
      <Graph
        values={values}
        ply={line.includes(node) ? node.ply : 0}
        moveName={(ply) => moveName(line[ply])}
        side={orientation}
        whiteFirst={line[0]?.fen.split(' ')[1] === 'w'}
        openingEnd={openingEnd}
        phases={phases}
        times={times}
        onChoose={(ply) => {
          const target = line[ply];
          if (target) setNode(target);
        }}
        onHover={(ply) => look(ply === null ? null : (line[ply] ?? null))}
      />
      {values.every((value) => value === null) && (
        <p class="graph-empty note">A review (r) draws White's chances over the game here; so does the engine, for the positions it has searched.</p>
      )}
    </section>
  );
}

/** A move such as `14... Nf6`, with the number from the position before it. */
function moveName(node: TreeNode | undefined): string {
  if (!node?.parent) return 'Start';
  const [, turn, , , , number] = node.parent.fen.split(' ');
  return `${number}${turn === 'w' ? '.' : '...'} ${node.san}`;
}
