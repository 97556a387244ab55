/** The game this browser plays: the front page leads back to it, from any tab and after any restart. */

import { swap } from '../route.ts';
import { get } from '../server/request.ts';
import type { GameView } from '../server/types.ts';
import { remember, remembered } from '../settings.ts';

const KEY = 'tabiya.running';
/** Parameters of the front page that ask for something other than the running game. */
const OTHERS = ['new', 'fen', 'net'];

export function rememberGame(id: string, running: boolean): void {
  const kept = remembered(KEY, { id: '' }).id;
  if (running) remember(KEY, { id });
  else if (kept === id) remember(KEY, { id: '' });
}

/** Goes to the running game, if there is one and the address does not ask for a new one. */
export function resumeGame(): void {
  const query = new URLSearchParams(location.search);
  const { id } = remembered(KEY, { id: '' });
  if (!id || location.pathname !== '/' || OTHERS.some((name) => query.has(name))) return;
  get<GameView>(`/games/${encodeURIComponent(id)}`).then(
    (view) => {
      if (view.end) rememberGame(id, false);
      else if (location.pathname === '/') swap(`/play/${id}`);
    },
    // If the game is gone or the server does not answer, the form stays.
    () => undefined,
  );
}
