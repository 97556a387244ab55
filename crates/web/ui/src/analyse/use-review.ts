/** The review of the game on the board: the server finds it by the moves, so it survives a reload, a link and one more move. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import { explain, get, post } from '../server/request.ts';
import type { ReviewPoint, ReviewView } from '../server/types.ts';

/** Milliseconds without another move after which the review of a game is asked for. */
const PAUSE_MS = 250;
/** Longest game that the server reviews, in half-moves. */
const LONGEST = 1000;

export interface ReviewWish {
  /** The first network in the server's list if it is left out. */
  network?: string;
  /** Nodes per position; the server's usual number if it is left out. */
  nodes?: number;
}

export function useReview(start: string, moves: readonly string[]) {
  const [review, setReview] = useState<ReviewView | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [looked, setLooked] = useState(false);
  const line = moves.slice(0, LONGEST);
  const game = `${start} ${line.join(',')}`;
  const whole = review !== null && sharedMoves(review, start, line) === review.moves.length;
  useEffect(() => {
    if (whole || line.length === 0) return undefined;
    let replaced = false;
    const timer = setTimeout(() => {
      const query = new URLSearchParams({ fen: start, moves: line.join(',') });
      get<ReviewView | null>(`/reviews?${query}`).then(
        (found) => {
          if (replaced) return;
          setReview(found);
          setLooked(true);
        },
        (error: unknown) => {
          if (replaced) return;
          setProblem(explain(error));
          setLooked(true);
        },
      );
    }, PAUSE_MS);
    return () => {
      replaced = true;
      clearTimeout(timer);
    };
  }, [game, whole]);
  const id = review?.id;
  useEffect(() => {
    if (!id) return undefined;
    return live.listen(`review/${id}`, (data) => {
      if (data && typeof data === 'object' && 'refused' in data) return;
      setReview(data as ReviewView);
    });
  }, [id]);
  return useMemo(
    () => ({
      review: review && partOf(review, start, moves),
      problem,
      /** True once it is known whether the server has a review: what stands below it can then be drawn. */
      looked: looked || review !== null,
      start: async ({ network, nodes }: ReviewWish) => {
        setProblem(null);
        try {
          setReview(await post<ReviewView>('/reviews', { ...(network && { network }), fen: start, moves: line, ...(nodes && { nodes }) }));
        } catch (error) {
          setProblem(explain(error));
        }
      },
      stop: () => {
        if (id) post(`/reviews/${id}/stop`).catch((error: unknown) => setProblem(explain(error)));
      },
    }),
    [review, problem, looked, start, moves],
  );
}

/** Number of half-moves that a review has in common with a line. */
export function sharedMoves(review: Pick<ReviewView, 'fen' | 'moves'>, start: string, moves: readonly string[]): number {
  if (review.fen !== start) return 0;
  const differs = review.moves.findIndex((uci, index) => uci !== moves[index]);
  return differs < 0 ? review.moves.length : differs;
}

/**
 * The part of a review that covers a line: its positions up to where the line leaves the reviewed game; null if they share no
 * move.
 */
export function partOf(review: ReviewView, start: string, moves: readonly string[]): ReviewView | null {
  const shared = sharedMoves(review, start, moves);
  if (shared === review.moves.length) return review;
  if (shared === 0) return null;
  const left: Partial<ReviewPoint> = { loss: null, accuracy: null, judgement: null };
  const points = review.points.slice(0, shared + 1).map((point) => (point.ply === shared ? { ...point, ...left } : point));
  // Sums over the reviewed game say nothing about another one.
  return { ...review, points, white: null, black: null };
}
