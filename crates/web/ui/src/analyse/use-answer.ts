/** An answer of the server that is asked for again whenever the question changes. */

import { useEffect, useState } from 'preact/hooks';
import { explain, get } from '../server/request.ts';

export interface Answered<T> {
  /** The latest answer, perhaps to the question before. */
  answer: T | null;
  /** True if it answers the present question. */
  fresh: boolean;
  problem: string | null;
}

/** `path` is the question; nothing is asked while there is none. */
export function useAnswer<T>(path: string | undefined): Answered<T> {
  const [state, setState] = useState<{ path: string; answer: T | null; problem: string | null } | null>(null);
  useEffect(() => {
    if (!path) return undefined;
    let replaced = false;
    const done = (answer: T | null, problem: string | null) => {
      if (!replaced) setState({ path, answer, problem });
    };
    get<T>(path).then(
      (answer) => done(answer, null),
      (error: unknown) => done(null, explain(error)),
    );
    return () => {
      replaced = true;
    };
  }, [path]);
  return { answer: state?.answer ?? null, fresh: state?.path === path, problem: state?.problem ?? null };
}
