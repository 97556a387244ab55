/** One side's line at the analysis board, from the game's headers: name, rating, result. */

import { engineName } from '../shell/engine-name.ts';

export function PlayerName({ headers, colour }: { headers: Map<string, string>; colour: 'White' | 'Black' }) {
  const value = (name: string) => {
    const text = headers.get(name) ?? '?';
    return text === '?' || text === '-' ? null : text;
  };
  const rating = value(`${colour}Elo`);
  const [white, black] = (value('Result') ?? '').split('-');
  const name = value(colour);
  const points = colour === 'White' ? white : black;
  return (
    <>
      <p class="player-name">
        <span title={name ?? undefined}>{name ? engineName(name) : colour}</span> {rating && <span class="player-rating figure">{rating}</span>}
      </p>
      {points && black && <span class="player-points figure">{points.replace('1/2', '½')}</span>}
    </>
  );
}
