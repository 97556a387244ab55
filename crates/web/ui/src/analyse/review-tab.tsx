/** The tab "Review": every position of the game searched with the same budget, the cost of each move, and the portrait of the game. */

import { Icon } from '../icons.tsx';
import type { ReviewView, SideSummary } from '../server/types.ts';
import { Moments, PhaseRows, PlayedLike } from './moments.tsx';
import { Portrait, SidesTable, SurpriseList } from './portrait.tsx';
import { useAnalysis } from './store.tsx';
import type { Fault } from './store/walk.ts';

const NODE_CHOICES = [50, 100, 200, 400, 800, 1600];

export function ReviewTab() {
  const { line } = useAnalysis('game');
  const { looked } = useAnalysis('review');
  const { solving } = useAnalysis('solving');
  if (solving) return <p class="note">The counts return after the exercises.</p>;
  return (
    <>
      <Review />
      {line.length > 1 && looked && <Portrait />}
    </>
  );
}

function Review() {
  const { mainMoves } = useAnalysis('game');
  const { reviewNodes, choose } = useAnalysis('choices');
  const { review, problem, begin, stop } = useAnalysis('review');
  const canReview = mainMoves.length > 0;
  return (
    <div class="review">
      <div class="button-row">
        <button type="button" disabled={!canReview || review?.running} onClick={begin}>
          <Icon name="review" /> Review the game
        </button>
        {review?.running && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
        <label class="inline-field">
          <span>Nodes per position</span>
          <select value={reviewNodes} onChange={(event) => choose({ reviewNodes: Number(event.currentTarget.value) })}>
            {NODE_CHOICES.map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </select>
        </label>
      </div>
      {!canReview && <p class="note">A game with at least one move can be reviewed.</p>}
      {problem && <p class="problem">{problem}</p>}
      {review?.failure && <p class="problem">The review ended early: {review.failure}</p>}
      {review?.running && (
        <p class="note figure" role="status">
          {progressText(review)}
        </p>
      )}
      {review?.white && review.black && <Findings review={review} white={review.white} black={review.black} />}
    </div>
  );
}

/** How far a review is: every position once, then those on which a mark rests again. */
function progressText({ points, positions, second_looks: planned }: ReviewView): string {
  if (planned === null) return `${points.length} of ${positions} positions`;
  return `second look at marks: ${points.filter((point) => point.second_look).length} of ${planned} positions`;
}

/** The counts of both sides, and the way to the exercises. */
function Findings({ review, white, black }: { review: ReviewView; white: SideSummary; black: SideSummary }) {
  const { jump } = useAnalysis('walk');
  const { count, begin } = useAnalysis('solving');
  const sides = { white, black };
  const fault = (kind: Fault) => () => jump(kind);
  return (
    <>
      <PlayedLike review={review} />
      <Moments review={review} />
      <SurpriseList />
      <SidesTable>
        <Row name="Accuracy" {...sides} value={(side) => percent(side.accuracy)} />
        <PhaseRows />
        <Row name="Mean loss per move" {...sides} value={(side) => points(side.mean_loss)} />
        <Row name="Inaccuracies ?!" {...sides} value={(side) => String(side.inaccuracies)} onName={fault('inaccuracy')} />
        <Row name="Mistakes ?" {...sides} value={(side) => String(side.mistakes)} onName={fault('mistake')} />
        <Row name="Blunders ??" {...sides} value={(side) => String(side.blunders)} onName={fault('blunder')} />
        <Row name="Forced moves" {...sides} value={(side) => String(side.forced)} />
      </SidesTable>
      <div class="button-row">
        <button type="button" disabled={count === 0} onClick={begin}>
          Find better{count > 0 && ` (${count})`}
        </button>
        {count === 0 && <span class="note">The side at the bottom made no mistake worth solving.</span>}
      </div>
      <p class="note" title={review.engine}>
        {review.network}, {review.nodes} nodes a position{review.second_looks !== null && ', ten times as many at marks'}; {limitsText(review.limits)}{' '}
        Accuracies of other networks or sites are on another scale.
      </p>
    </>
  );
}

/** The losses from which a move gets each mark. */
function limitsText(limits: readonly number[]): string {
  const [inaccuracy = 0, mistake = 0, blunder = 0] = limits.map((limit) => Number(limit.toFixed(1)));
  return `a move that loses ${inaccuracy}, ${mistake} or ${blunder} points of win percentage is ?!, ? or ??.`;
}

interface RowProps {
  name: string;
  white: SideSummary;
  black: SideSummary;
  value: (side: SideSummary) => string;
  onName?: () => void;
}

function Row({ name, white, black, value, onName }: RowProps) {
  return (
    <tr>
      <th scope="row">
        {onName ? (
          <button type="button" class="link" onClick={onName}>
            {name}
          </button>
        ) : (
          name
        )}
      </th>
      <td class="number">{value(white)}</td>
      <td class="number">{value(black)}</td>
    </tr>
  );
}

function percent(value: number | null): string {
  return value === null ? '' : `${value.toFixed(1)} %`;
}

function points(value: number | null): string {
  return value === null ? '' : value.toFixed(1);
}
