/** The best line in one row, below the board of a phone, where the table is out of sight. */

import type { SearchTrace } from '../server/types.ts';
import { useSettings } from '../settings.ts';
import { type View, numbered, told, toldText } from './numbers.ts';
import { type Reason, isFault, sentenceOf } from './why.tsx';

interface Props {
  trace: SearchTrace | null;
  reason: Reason | null;
  fen: string;
  whiteToMove: boolean;
  view: View;
}

export function BestLine({ trace, reason, fen, whiteToMove, view }: Props) {
  const { unit } = useSettings();
  const [best] = trace?.moves ?? [];
  // The panel tells the fault as well; while the engine runs, its line is what is told nowhere else in sight.
  if (isFault(reason) && !best) return <p class="best-line fault">{sentenceOf(reason)}</p>;
  if (!trace || !best) return <p class="best-line note">{reason ? sentenceOf(reason) : 'The best line appears here.'}</p>;
  return (
    <p class="best-line figure">
      <b>{best.wdl ? toldText(told(best.wdl, whiteToMove, view, best.score), unit) : ''}</b> {numbered(best.variation_san, fen).join(' ')}
    </p>
  );
}
