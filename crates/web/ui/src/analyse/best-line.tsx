/** The engine's best line, or else the review's, in one row below the board of a phone, where the table is out of sight. */

import type { ReviewPoint, SearchTrace } from '../server/types.ts';
import { useSettings } from '../settings.ts';
import { toldOf } from './headline.tsx';
import { type View, numbered, told, toldText } from './numbers.ts';
import { type Reason, sentenceOf } from './why.tsx';

interface Props {
  trace: SearchTrace | null;
  reason: Reason | null;
  /** The review's entry for the position. */
  reviewed: ReviewPoint | null;
  fen: string;
  whiteToMove: boolean;
  view: View;
}

export function BestLine({ trace, reason, reviewed, fen, whiteToMove, view }: Props) {
  const { unit } = useSettings();
  const [best] = trace?.moves ?? [];
  const sans = best ? best.variation_san : (reviewed?.line ?? []);
  // The cost of a move is shown below, so it is given here only for the last move of a game.
  if (sans.length === 0) return <p class="best-line note">{reason ? sentenceOf(reason) : 'The best line appears here.'}</p>;
  const value = best ? best.wdl && told(best.wdl, whiteToMove, view, best.score) : reviewed && toldOf(reviewed, whiteToMove, view);
  return (
    <p class="best-line figure">
      <b>{value ? toldText(value, unit) : ''}</b> {numbered(sans, fen).join(' ')}
    </p>
  );
}
