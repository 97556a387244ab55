/** The engine's best line, or else the review's, in one row below the board of a phone, where the table is out of sight. */

import { useSettings } from '../settings.ts';
import { numbered, told, toldOf, toldText } from './numbers.ts';
import { sentenceOf } from './reason.ts';
import { useAnalysis } from './store.tsx';

const NOTHING = { reason: null, reviewed: null };

export function BestLine() {
  const { node, whiteToMove } = useAnalysis('game');
  const { view } = useAnalysis('choices');
  const { trace } = useAnalysis('search');
  const review = useAnalysis('review');
  const { quiet } = useAnalysis('solving');
  const { unit } = useSettings();
  const [best] = (quiet ? null : trace?.moves) ?? [];
  const { reason, reviewed } = quiet ? NOTHING : review;
  const sans = best ? best.variation_san : (reviewed?.line ?? []);
  // The cost of a move is shown below, so it is given here only for the last move of a game.
  if (sans.length === 0) return <p class="best-line note">{reason ? sentenceOf(reason) : 'The best line appears here.'}</p>;
  const value = best ? best.wdl && told(best.wdl, whiteToMove, view, best.score) : reviewed && toldOf(reviewed, whiteToMove, view);
  return (
    <p class="best-line figure">
      <b>{value ? toldText(value, unit) : ''}</b> {numbered(sans, node.fen).join(' ')}
    </p>
  );
}
