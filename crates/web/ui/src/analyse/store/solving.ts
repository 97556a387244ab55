/**
 * Find better: the positions of a reviewed game in which one side went wrong, one after another, to be solved on the board. A
 * move is accepted if it is the best one found or loses less than two points of win percentage.
 */

import { useMemo, useRef, useState } from 'preact/hooks';
import { stationsOf } from '../../chess/position.ts';
import { explain, get, post } from '../../server/request.ts';
import type { Colour, ReviewPoint, ReviewView } from '../../server/types.ts';
import { type TreeNode, play } from '../tree.ts';
import type { Choices } from './choices.ts';
import type { Game } from './game.ts';

/** A move that loses less than this is accepted as if it were the best. */
const ACCEPTED_BELOW = 2;
/** Milliseconds between two looks at the review of an attempt. */
const LOOK_EVERY_MS = 150;
const WRONG = new Set(['inaccuracy', 'mistake', 'blunder']);

interface Exercise {
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

/** The exercises of a review, the reader's attempts, and what a move on the board means meanwhile. */
export function useSolving({ node, setNode, line }: Game, review: ReviewView | null, { orientation, hidden }: Choices) {
  const { solving, attempt, ...steps } = useAttempts(review, setNode);
  const exercises = useMemo(() => (review?.white ? exercisesOf(review, line, orientation) : []), [review, line, orientation]);
  const [tries, setTries] = useState(0);
  return useMemo(
    () => ({
      solving,
      ...steps,
      /** Number of positions to solve for the side at the bottom of the board. */
      count: exercises.length,
      begin: () => steps.show(exercises, 0),
      /** True if nothing may be shown that gives an answer away or that the reader has hidden. */
      quiet: solving !== null || hidden,
      /** Incremented with each attempt, after which the pieces go back. */
      tries,
      /** Plays a move, or takes it for an attempt. */
      move: (uci: string) => {
        if (solving && !isOver(solving)) {
          setTries((count) => count + 1);
          void attempt(uci, stationsOf(node.fen, [uci])[1]?.san ?? uci);
          return;
        }
        const next = play(node, uci);
        if (next) setNode(next);
      },
    }),
    [solving, exercises, hidden, tries, review, node, setNode],
  );
}

/** True once the exercise is solved or shown: moves on the board are no attempts any more. */
export const isOver = ({ verdict }: Solving): boolean => verdict.kind === 'right' || verdict.kind === 'shown';

function exercisesOf(review: ReviewView, line: readonly TreeNode[], side: Colour): Exercise[] {
  return review.points.flatMap((point) => {
    const [node, played] = [line[point.ply], line[point.ply + 1]];
    // If the search of the position preferred the mistake, it has nothing better to show.
    if (!node || !played || !point.judgement || !WRONG.has(point.judgement) || point.best === played.uci) return [];
    return (node.fen.split(' ')[1] === 'w') === (side === 'white') ? [{ point, node, played }] : [];
  });
}

function useAttempts(review: ReviewView | null, onShow: (node: TreeNode) => void) {
  const [solving, setSolving] = useState<Solving | null>(null);
  const running = useRef(0);
  const exercise = solving?.exercises[solving.at];
  const show = (exercises: Exercise[], at: number) => {
    const next = exercises[at];
    if (!next) return setSolving(null);
    running.current += 1;
    onShow(next.node);
    setSolving({ exercises, at, verdict: { kind: 'asked', text: `${next.played.san} was played. Find better.` } });
  };
  const judge = (kind: Solving['verdict']['kind'], text: string) => setSolving((now) => now && { ...now, verdict: { kind, text } });
  const accept = ({ node }: Exercise, uci: string, text: string) => {
    judge('right', text);
    // The move found stays on the board as a variation of the game.
    const found = play(node, uci);
    if (found) onShow(found);
  };
  /** Handles a move on the board while solving. */
  const attempt = async (uci: string, san: string) => {
    if (!exercise || !review) return;
    const { point, node, played } = exercise;
    if (uci === point.best) return accept(exercise, uci, `${san} is the best move found.`);
    if (uci === played.uci) {
      return judge('wrong', `${san} was played and loses ${(point.loss ?? 0).toFixed(0)} points of win percentage. Try again.`);
    }
    running.current += 1;
    const own = running.current;
    judge('checking', `Looking at ${san} ...`);
    try {
      const loss = await lossOf(review, node.fen, uci, () => running.current === own);
      if (running.current !== own) return;
      if (loss === null) judge('failed', `${san} could not be judged.`);
      else if (loss < ACCEPTED_BELOW) {
        accept(exercise, uci, `${san} is good: it loses at most ${loss.toFixed(1)} points. The best is ${point.line[0] ?? 'not known'}.`);
      } else judge('wrong', `${san} loses ${loss.toFixed(0)} points of win percentage. Try again.`);
    } catch (error) {
      if (running.current === own) judge('failed', explain(error));
    }
  };
  return {
    solving,
    attempt,
    show,
    /** Plays the best move on the board. The exercise is over, the others are not. */
    reveal: () => {
      if (!exercise) return;
      running.current += 1;
      const { best, line } = exercise.point;
      judge('shown', `Best: ${line.join(' ') || 'not known'}`);
      onShow(play(exercise.node, best ?? '') ?? exercise.node);
    },
    next: () => solving && show(solving.exercises, solving.at + 1),
    again: () => solving && show(solving.exercises, solving.at),
    end: () => {
      running.current += 1;
      setSolving(null);
    },
  };
}

/** Loss of a move, searched with the budget of the review. */
async function lossOf(review: ReviewView, fen: string, uci: string, wanted: () => boolean): Promise<number | null> {
  let view = await post<ReviewView>('/reviews', { network: review.network, fen, moves: [uci], nodes: review.nodes });
  while (view.running && wanted()) {
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_EVERY_MS);
    });
    view = await get<ReviewView>(`/reviews/${view.id}`);
  }
  return view.points[0]?.loss ?? null;
}
