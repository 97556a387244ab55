/**
 * Find better: the positions of a reviewed game in which one side went wrong, one after another, to be solved on the board. A
 * move is accepted if it is the best one found or loses less than two points of win percentage.
 */

import { useRef, useState } from 'preact/hooks';
import { explain, get, post } from '../server/request.ts';
import type { Colour, ReviewPoint, ReviewView } from '../server/types.ts';
import { type TreeNode, play } from './tree.ts';

/** A move that loses less than this is accepted as if it were the best. */
const ACCEPTED_BELOW = 2;
const WRONG = new Set(['inaccuracy', 'mistake', 'blunder']);

export interface Exercise {
  point: ReviewPoint;
  /** The position before the mistake. */
  node: TreeNode;
  played: TreeNode;
}

export interface Solving {
  exercises: Exercise[];
  at: number;
  /** The reader's last attempt, and its result. */
  verdict: { kind: 'asked' | 'checking' | 'right' | 'wrong' | 'failed' | 'shown'; text: string };
}

export function exercisesOf(review: ReviewView, line: readonly TreeNode[], side: Colour): Exercise[] {
  return review.points.flatMap((point) => {
    const [node, played] = [line[point.ply], line[point.ply + 1]];
    // If the search of the position preferred the mistake, it has nothing better to show.
    if (!node || !played || !point.judgement || !WRONG.has(point.judgement) || point.best === played.uci) return [];
    return (node.fen.split(' ')[1] === 'w') === (side === 'white') ? [{ point, node, played }] : [];
  });
}

/** True once the exercise is solved or shown: moves on the board are no attempts any more. */
export const isOver = ({ verdict }: Solving): boolean => verdict.kind === 'right' || verdict.kind === 'shown';

/** The exercises of a review, and the reader's attempts. */
export function useSolving(review: ReviewView | null, onShow: (node: TreeNode) => void) {
  const [solving, setSolving] = useState<Solving | null>(null);
  const running = useRef(0);
  const show = (exercises: Exercise[], at: number) => {
    const exercise = exercises[at];
    if (!exercise) return setSolving(null);
    running.current += 1;
    onShow(exercise.node);
    setSolving({ exercises, at, verdict: { kind: 'asked', text: `${exercise.played.san} was played. Find better.` } });
  };
  const judge = (kind: Solving['verdict']['kind'], text: string) => setSolving((now) => now && { ...now, verdict: { kind, text } });
  /** Handles a move on the board while solving. */
  const attempt = async (uci: string, san: string) => {
    const exercise = solving?.exercises[solving.at];
    if (!exercise || !review) return;
    const right = (text: string) => {
      judge('right', text);
      // The move found stays on the board as a variation of the game.
      const found = play(exercise.node, uci);
      if (found) onShow(found);
    };
    if (uci === exercise.point.best) return right(`${san} is the best move found.`);
    if (uci === exercise.played.uci) {
      return judge('wrong', `${san} was played and loses ${(exercise.point.loss ?? 0).toFixed(0)} points of win percentage. Try again.`);
    }
    running.current += 1;
    const own = running.current;
    judge('checking', `Looking at ${san} ...`);
    try {
      const loss = await lossOf(review, exercise.node.fen, uci, () => running.current === own);
      if (running.current !== own) return;
      if (loss === null) judge('failed', `${san} could not be judged.`);
      else if (loss < ACCEPTED_BELOW) right(`${san} is good: it loses at most ${loss.toFixed(1)} points. The best is ${exercise.point.line[0] ?? 'not known'}.`);
      else judge('wrong', `${san} loses ${loss.toFixed(0)} points of win percentage. Try again.`);
    } catch (error) {
      if (running.current === own) judge('failed', explain(error));
    }
  };
  /** Plays the best move on the board. The exercise is over, the others are not. */
  const reveal = () => {
    const exercise = solving?.exercises[solving.at];
    if (!exercise) return;
    running.current += 1;
    const { best, line } = exercise.point;
    judge('shown', `Best: ${line.join(' ') || 'not known'}`);
    onShow(play(exercise.node, best ?? '') ?? exercise.node);
  };
  return {
    solving,
    reveal,
    begin: (exercises: Exercise[]) => show(exercises, 0),
    next: () => solving && show(solving.exercises, solving.at + 1),
    again: () => solving && show(solving.exercises, solving.at),
    end: () => {
      running.current += 1;
      setSolving(null);
    },
    attempt,
  };
}

/** Loss of a move, searched with the budget of the review. */
async function lossOf(review: ReviewView, fen: string, uci: string, wanted: () => boolean): Promise<number | null> {
  let view = await post<ReviewView>('/reviews', { network: review.network, fen, moves: [uci], nodes: review.nodes });
  while (view.running && wanted()) {
    await new Promise((resolve) => {
      setTimeout(resolve, 150);
    });
    view = await get<ReviewView>(`/reviews/${view.id}`);
  }
  return view.points[0]?.loss ?? null;
}

interface Props {
  solving: Solving;
  onAgain: () => void;
  onReveal: () => void;
  onNext: () => void;
  onEnd: () => void;
}

export function FindBetter({ solving, onAgain, onReveal, onNext, onEnd }: Props) {
  const exercise = solving.exercises[solving.at];
  if (!exercise) return null;
  const last = solving.at + 1 >= solving.exercises.length;
  const { kind, text } = solving.verdict;
  return (
    <section class="find-better" aria-label="Find better">
      <h2>
        Find better <span class="figure note">{`${solving.at + 1} of ${solving.exercises.length}`}</span>
      </h2>
      <p role="status" class={kind === 'wrong' || kind === 'failed' ? 'problem' : undefined} data-verdict={kind}>
        {text}
      </p>
      <div class="button-row">
        {(kind === 'wrong' || kind === 'failed') && (
          <button type="button" onClick={onAgain}>
            Try again
          </button>
        )}
        {!isOver(solving) && (
          <button type="button" onClick={onReveal}>
            Show
          </button>
        )}
        <button type="button" class={isOver(solving) ? 'primary' : undefined} onClick={last ? onEnd : onNext}>
          {last ? 'Done' : 'Next'}
        </button>
        {!last && (
          <button type="button" onClick={onEnd}>
            Leave
          </button>
        )}
      </div>
    </section>
  );
}
