/** The review of a whole game: every position searched with the same budget, and the cost of each move. */

import { Icon } from '../icons.tsx';
import type { Colour, ReviewView, SideSummary } from '../server/types.ts';

interface Props {
  review: ReviewView | null;
  problem: string | null;
  canReview: boolean;
  nodes: number;
  onNodes: (nodes: number) => void;
  onStart: () => void;
  onStop: () => void;
  onJump: (judgement: 'inaccuracy' | 'mistake' | 'blunder') => void;
  /** Number of positions to solve for the side at the bottom of the board. */
  exercises: number;
  onSolve: () => void;
}

const NODE_CHOICES = [50, 100, 200, 400, 800, 1600];

export function ReviewPanel({ review, problem, canReview, nodes, onNodes, onStart, onStop, onJump, exercises, onSolve }: Props) {
  return (
    <div class="review">
      <div class="button-row">
        <button type="button" disabled={!canReview || review?.running} onClick={onStart}>
          <Icon name="review" /> Review the game
        </button>
        {review?.running && (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        )}
        <label class="inline-field">
          <span>Nodes per position</span>
          <select value={nodes} onChange={(event) => onNodes(Number(event.currentTarget.value))}>
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
          {review.points.length} of {review.positions} positions
        </p>
      )}
      {review?.white && review.black && (
        <>
          <table class="review-table">
            <thead>
              <tr>
                <td />
                <th scope="col" class="number">White</th>
                <th scope="col" class="number">Black</th>
              </tr>
            </thead>
            <tbody>
              <Row name="Accuracy" white={review.white} black={review.black} value={(side) => percent(side.accuracy)} />
              <Row name="Mean loss per move" white={review.white} black={review.black} value={(side) => points(side.mean_loss)} />
              <Row name="Inaccuracies ?!" white={review.white} black={review.black} value={(side) => String(side.inaccuracies)} onName={() => onJump('inaccuracy')} />
              <Row name="Mistakes ?" white={review.white} black={review.black} value={(side) => String(side.mistakes)} onName={() => onJump('mistake')} />
              <Row name="Blunders ??" white={review.white} black={review.black} value={(side) => String(side.blunders)} onName={() => onJump('blunder')} />
              <Row name="Forced moves" white={review.white} black={review.black} value={(side) => String(side.forced)} />
            </tbody>
          </table>
          <div class="button-row">
            <button type="button" disabled={exercises === 0} onClick={onSolve}>
              Find better{exercises > 0 && ` (${exercises})`}
            </button>
            {exercises === 0 && <span class="note">The side at the bottom made no mistake worth solving.</span>}
          </div>
          <p class="note" title={review.engine}>
            {review.network}, {review.nodes} nodes a position; {limitsText(review.limits)}{' '}
            Accuracies of other networks or sites are on another scale.
          </p>
        </>
      )}
    </div>
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

/** The next move of a kind after a ply, for the side at the bottom; starts again from the beginning after the end. */
export function nextJudged(review: ReviewView, kind: string, ply: number, side: Colour, whiteFirst: boolean): number | null {
  const own = review.points.filter(
    (point) => point.judgement === kind && ((point.ply % 2 === 0) === whiteFirst) === (side === 'white'),
  );
  return (own.find((point) => point.ply + 1 > ply) ?? own[0])?.ply ?? null;
}
