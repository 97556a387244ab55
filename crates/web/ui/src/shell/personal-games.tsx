/** The reader's own games: kept only on request, with their folder shown, and deleted on request. */

import { useEffect, useState } from 'preact/hooks';
import { explain, get, post } from '../server/request.ts';
import type { PersonalView } from '../server/types.ts';
import { announce } from './announce.ts';

export function PersonalGames() {
  const [view, setView] = useState<PersonalView | null>(null);
  const [problem, setProblem] = useState('');
  const [asking, setAsking] = useState(false);
  const follow = (answer: Promise<PersonalView>, said?: string) => {
    answer.then(
      (now) => {
        setView(now);
        setProblem('');
        setAsking(false);
        if (said) announce(said);
      },
      (error: unknown) => setProblem(explain(error)),
    );
  };
  useEffect(() => follow(get('/personal')), []);
  return (
    <fieldset class="segments field">
      <legend>Your games</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={view?.collects ?? false}
          disabled={!view}
          onChange={(event) => follow(post('/personal', { collect: event.currentTarget.checked }))}
        />
        Keep the games I play here, to train an opponent that plays like me
      </label>
      <p class="note">
        Moves, result and clock only, on the machine that runs Tabiya; nothing is sent anywhere. Games with hints or moves taken back
        are left out.
      </p>
      {view && <p class="note">{counted(view)}</p>}
      {view && view.games > 0 && !asking && (
        <div class="button-row">
          <button type="button" onClick={() => setAsking(true)}>
            Delete them ...
          </button>
        </div>
      )}
      {view && asking && (
        <p>
          Delete {count(view.games)} for good?{' '}
          <button type="button" class="danger" onClick={() => follow(post('/personal/delete'), 'Your games are deleted')}>
            Delete
          </button>{' '}
          <button type="button" onClick={() => setAsking(false)}>
            Keep them
          </button>
        </p>
      )}
      {problem && <p class="problem" role="alert">{problem}</p>}
    </fieldset>
  );
}

function count(games: number): string {
  return games === 1 ? '1 game' : `${games} games`;
}

function counted({ games, least_games, folder }: PersonalView): string {
  if (games === 0) return `None kept so far. They would be stored in ${folder}.`;
  const next =
    games < least_games
      ? `${count(least_games - games)} more and a network can be trained on them.`
      : 'tabiya train recipes/you --from human makes an opponent of them.';
  return `${count(games)} in ${folder}. ${next}`;
}
