import { useEffect, useState } from 'preact/hooks';
import { live } from '../server/live.ts';
import { explain, post } from '../server/request.ts';
import type { ReviewView } from '../server/types.ts';

/** The review of the game on the board. A changed game has none until it is asked for again. */
export function useReview(gameKey: string) {
  const [review, setReview] = useState<{ key: string; view: ReviewView } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const shown = review?.key === gameKey ? review.view : null;
  const id = shown?.id;
  useEffect(() => {
    if (!id) return undefined;
    return live.listen(`review/${id}`, (data) => {
      if (data && typeof data === 'object' && 'refused' in data) return;
      setReview({ key: gameKey, view: data as ReviewView });
    });
  }, [id, gameKey]);
  const start = async (request: { network: string; fen: string; moves: string[]; nodes: number }) => {
    setProblem(null);
    try {
      setReview({ key: gameKey, view: await post<ReviewView>('/reviews', request) });
    } catch (error) {
      setProblem(explain(error));
    }
  };
  const stop = () => {
    if (id) post(`/reviews/${id}/stop`).catch((error: unknown) => setProblem(explain(error)));
  };
  return { review: shown, problem, start, stop };
}
