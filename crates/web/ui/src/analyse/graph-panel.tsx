/** The curve of the game on the board, from a review and from the engine's results for its positions. */

import type { Colour, ReviewPoint } from '../server/types.ts';
import { Graph, type GraphValue } from './graph.tsx';
import { wdlOf } from './headline.tsx';
import { seenValue } from './seen.ts';
import type { TreeNode } from './tree.ts';

interface Props {
  values: readonly (GraphValue | null)[];
  line: readonly TreeNode[];
  node: TreeNode;
  orientation: Colour;
  openingEnd: number | null;
  onNode: (node: TreeNode) => void;
  /** The node under the pointer. */
  onPreview: (node: TreeNode | null) => void;
}

/** The values of a line: the review's or, if there is none, the engine's. */
export function lineValues(line: readonly TreeNode[], points: readonly ReviewPoint[]): (GraphValue | null)[] {
  return line.map((node, ply) => {
    const point = points[ply];
    const white = point ? wdlOf(point) : seenValue(node.fen)?.white;
    return white ? { ply, white, judgement: points[ply - 1]?.judgement ?? null } : null;
  });
}

export function GraphPanel({ values, line, node, orientation, openingEnd, onNode, onPreview }: Props) {
  const known = values.some((value) => value !== null);
  return (
    <section class="graph-panel" aria-label="Course of the game">
      <Graph
        values={values}
        ply={line.includes(node) ? node.ply : 0}
        moveName={(ply) => moveName(line[ply])}
        side={orientation}
        whiteFirst={line[0]?.fen.split(' ')[1] === 'w'}
        openingEnd={openingEnd}
        onChoose={(ply) => {
          const target = line[ply];
          if (target) onNode(target);
        }}
        onHover={(ply) => onPreview(ply === null ? null : (line[ply] ?? null))}
      />
      {!known && <p class="graph-empty note">A review (r) draws White's chances over the game here; so does the engine, for the positions it has searched.</p>}
    </section>
  );
}

/** A move such as `14... Nf6`, with the number from the position before it. */
function moveName(node: TreeNode | undefined): string {
  if (!node?.parent) return 'Start';
  const [, turn, , , , number] = node.parent.fen.split(' ');
  return `${number}${turn === 'w' ? '.' : '...'} ${node.san}`;
}
