/** The best line in one row, below the board of a phone, where the table is out of sight. */

import type { SearchTrace } from '../server/types.ts';
import { useSettings } from '../settings.ts';
import { numbered, percentOf, valueText } from './numbers.ts';
import { type Reason, isFault, sentenceOf } from './why.tsx';

interface Props {
  trace: SearchTrace | null;
  reason: Reason | null;
  fen: string;
  whiteToMove: boolean;
  view: 'white' | 'mover';
}

export function BestLine({ trace, reason, fen, whiteToMove, view }: Props) {
  const { unit } = useSettings();
  const [best] = trace?.moves ?? [];
  if (isFault(reason) && !best) return <p class="best-line">{sentenceOf(reason)}</p>;
  if (!trace || !best) return <p class="best-line note">{reason ? sentenceOf(reason) : 'The best line appears here.'}</p>;
  const own = best.wdl ? percentOf(best.wdl) : null;
  const percent = own === null ? null : view === 'mover' || whiteToMove ? own : 100 - own;
  const value = valueText(best.score, percent, unit);
  return (
    <p class="best-line figure">
      <b>{/^[\d.]+$/.test(value) ? `${value} %` : value}</b> {numbered(best.variation_san, fen).join(' ')}
    </p>
  );
}
