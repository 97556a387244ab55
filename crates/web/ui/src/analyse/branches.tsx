/** The main branches of the search: each root move's line as a row of blocks, as high as its share of the visits. */

import type { SearchTrace, TracedMove } from '../server/types.ts';
import { percentOf, valueText } from './numbers.ts';

interface Props {
  trace: SearchTrace | null;
  whiteToMove: boolean;
  onHover: (uci: string | null) => void;
  onLine: (move: TracedMove, length: number) => void;
}

/** Branches below this share of the visits are left out. */
const LEAST_SHARE = 0.01;
const MOST_PLIES = 8;
const HEIGHT = 320;

export function Branches({ trace, whiteToMove, onHover, onLine }: Props) {
  const moves = trace?.moves ?? [];
  const total = moves.reduce((sum, move) => sum + move.visits, 0);
  if (total === 0) return <p class="note">Start the engine: the branches it searches most appear here.</p>;
  const shown = moves.filter((move) => move.visits / total >= LEAST_SHARE);
  return (
    <div class="branches" role="tree" aria-label="Main branches" onPointerLeave={() => onHover(null)}>
      {shown.map((move) => {
        const share = move.visits / total;
        const own = move.wdl ? percentOf(move.wdl) : null;
        const percent = own === null ? null : whiteToMove ? own : 100 - own;
        return (
          <div
            key={move.uci}
            role="treeitem"
            class="branch"
            style={{ minHeight: `${Math.max(24, share * HEIGHT)}px`, '--value': String(percent ?? 50) }}
            onPointerEnter={() => onHover(move.uci)}
          >
            {move.variation_san.slice(0, MOST_PLIES).map((san, index) => (
              <button key={index} type="button" class={index === 0 ? 'branch-root' : 'branch-move'} onClick={() => onLine(move, index + 1)}>
                {san}
                {index === 0 && (
                  <span class="figure">
                    {' '}
                    {Math.round(100 * share)} % · {valueText(move.score, percent)}
                  </span>
                )}
              </button>
            ))}
          </div>
        );
      })}
    </div>
  );
}
