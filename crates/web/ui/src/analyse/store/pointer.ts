/**
 * The move under the pointer, the piece selected, and the position on the small board. All of them belong to the position shown
 * and end with it.
 */

import type { Key } from '@lichess-org/chessground/types';
import { useEffect, useMemo } from 'preact/hooks';
import { stationsOf } from '../../chess/position.ts';
import type { TracedMove } from '../../server/types.ts';
import type { TreeNode } from '../tree.ts';
import { useFields } from './fields.ts';

/** A position on the small board. */
interface Preview {
  /** The first move of the line; empty if it is not a line of the search. */
  uci: string;
  length: number;
  fen: string;
  lastMove: string | null;
}

export interface Pointed {
  hovered: string | null;
  /** The square of a selected piece. */
  selected: Key | null;
  preview: Preview | null;
}

export type Point = ReturnType<typeof usePointer>[1];

const NOTHING: Pointed = { hovered: null, selected: null, preview: null };

/** The state and its setters are apart: most panels only set it, and need not follow the pointer. */
export function usePointer(node: TreeNode) {
  const [pointed, change] = useFields(() => NOTHING);
  useEffect(() => change(NOTHING), [node]);
  const point = useMemo(
    () => ({
      hover: (uci: string | null) => change({ hovered: uci }),
      select: (square: Key | null) => change({ selected: square }),
      /** Shows the position of a node on the small board. */
      look: (target: TreeNode | null) => change({ preview: target && { uci: '', length: 0, fen: target.fen, lastMove: target.uci || null } }),
      /** Shows the position after the first `length` moves of a line of the search. */
      show: ({ uci, variation_uci }: TracedMove, length: number) => {
        const station = stationsOf(node.fen, variation_uci.slice(0, length)).at(-1);
        change({ preview: { uci, length, fen: station?.fen ?? node.fen, lastMove: station?.uci ?? null } });
      },
      /** The pointer left the table of moves. */
      leave: () => change({ hovered: null, preview: null }),
    }),
    [node],
  );
  return [pointed, point] as const;
}
