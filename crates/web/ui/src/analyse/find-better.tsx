/** Find better: an exercise and the verdict on the reader's last attempt, instead of the table. */

import { useAnalysis } from './store.tsx';
import { type Solving, isOver } from './store/solving.ts';

export function FindBetter({ solving }: { solving: Solving }) {
  const { again, reveal, next, end } = useAnalysis('solving');
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
          <button type="button" onClick={again}>
            Try again
          </button>
        )}
        {!isOver(solving) && (
          <button type="button" onClick={reveal}>
            Show
          </button>
        )}
        <button type="button" class={isOver(solving) ? 'primary' : undefined} onClick={last ? end : next}>
          {last ? 'Done' : 'Next'}
        </button>
        {!last && (
          <button type="button" onClick={end}>
            Leave
          </button>
        )}
      </div>
    </section>
  );
}
