/** What a review begins with: whom the sides played like, the moments that decided the game, and the accuracy by phase. */

import { useMemo } from 'preact/hooks';
import { useOpeningEnd } from '../chess/use-opening.ts';
import type { ReviewView } from '../server/types.ts';
import { levelsSentence } from './played-level.ts';
import { accuracyByPhase, momentsOf, phasesOf } from './phases.ts';
import { partsOf, reasonOf } from './reason.ts';
import { useAnalysis } from './store.tsx';

/** The rating of the people whose moves each side's moves are most like; nothing for a review of an older version. */
export function PlayedLike({ review }: { review: ReviewView }) {
  const { tree: { headers } } = useAnalysis('game');
  if (review.second_looks === null) return null;
  const sentence = levelsSentence({ level: review.white_level, name: headers.get('White') }, { level: review.black_level, name: headers.get('Black') });
  if (!sentence) return <p class="note">Too few moves, or too common ones, to estimate a rating.</p>;
  return (
    <p class="played-like figure" title="The rating at which the built-in human-like networks find these moves most likely, with a 95 % interval.">
      {sentence}
    </p>
  );
}

export function Moments({ review }: { review: ReviewView }) {
  const { line, setNode } = useAnalysis('game');
  const { points } = useAnalysis('review');
  const plies = momentsOf(points, review.limits[0] ?? 0);
  const reasons = plies.flatMap((ply) => {
    const node = line[ply + 1];
    return (node && reasonOf(node, line, points)) ?? [];
  });
  if (reasons.length === 0) return null;
  return (
    <section aria-label="The moments that decided">
      <h3>The moments that decided</h3>
      <ul class="plain-list moments">
        {reasons.map((reason) => {
          const [what, best] = partsOf(reason);
          return (
            <li key={reason.node.ply}>
              <button type="button" class="link" onClick={() => setNode(reason.node)}>
                {what}
              </button>
              <span class="note">{best.replace(/^: /, '')}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Rows of the table of both sides. */
export function PhaseRows() {
  const { line, start } = useAnalysis('game');
  const { points } = useAnalysis('review');
  const fens = useMemo(() => line.map((node) => node.fen), [line]);
  const named = useOpeningEnd(fens);
  const rows = accuracyByPhase(points, phasesOf(fens, named), start.split(' ')[1] === 'w');
  // One phase is the whole game.
  if (rows.length < 2) return null;
  const text = (value: number | null) => (value === null ? '' : `${value.toFixed(1)} %`);
  return (
    <>
      {rows.map(({ phase, accuracy }) => (
        <tr key={phase} class="phase-row" title="Mean accuracy of the moves that were not forced. The opening ends with the last position that has a name; from six pieces besides kings and pawns on it is an endgame.">
          <th scope="row">in the {phase}</th>
          <td class="number">{text(accuracy.white)}</td>
          <td class="number">{text(accuracy.black)}</td>
        </tr>
      ))}
    </>
  );
}
