/** The latest game kept by a self-play run, on a board. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { MiniBoard } from '../board/mini.tsx';
import { INITIAL_FEN, stationsOf } from '../chess/position.ts';
import { get } from '../server/request.ts';
import type { LatestGame as Game, SelfPlayView } from '../server/types.ts';
import { numbered } from '../analyse/numbers.ts';

export function LatestGame({ name, play }: { name: string; play: SelfPlayView }) {
  const [game, setGame] = useState<Game | null>(null);
  const [none, setNone] = useState(false);
  /** Null means the last position. */
  const [ply, setPly] = useState<number | null>(null);
  useEffect(() => {
    let replaced = false;
    // A generation without a game yet has none to show.
    get<Game>(`/runs/${encodeURIComponent(name)}/game`).then(
      (found) => {
        if (replaced) return;
        setGame(found);
        setNone(false);
        setPly(null);
      },
      () => {
        if (!replaced) setNone(true);
      },
    );
    return () => {
      replaced = true;
    };
  }, [name, play.generation, play.games]);
  const stations = useMemo(() => (game ? stationsOf(game.fen, game.moves) : []), [game]);
  if (!game) {
    // Its place is kept free until it arrives.
    return none ? null : (
      <figure class="latest-game" aria-busy="true">
        <figcaption>Latest game</figcaption>
        <MiniBoard fen={INITIAL_FEN} label="The game has not loaded yet" />
        <input type="range" disabled aria-label="Half-move of the game" />
        <p class="note figure">{'\u00a0'}</p>
      </figure>
    );
  }
  const last = stations.length - 1;
  const shown = Math.min(ply ?? last, last);
  const station = stations[shown];
  const before = stations[shown - 1];
  const value = game.white_percent[shown] ?? game.white_percent[shown - 1];
  const moved = station?.san && before ? numbered([station.san], before.fen)[0] : 'the start';
  return (
    <figure class="latest-game">
      <figcaption>
        Latest game, of generation {game.generation}: {game.result} after {Math.ceil(last / 2)} moves
      </figcaption>
      <MiniBoard fen={station?.fen ?? game.fen} lastMove={game.moves[shown - 1] ?? null} label={`The game after ${moved}`} />
      <input type="range" aria-label="Half-move of the game" min={0} max={last} value={shown} onInput={(event) => setPly(Number(event.currentTarget.value))} />
      <p class="note figure">
        {moved}
        {value !== null && value !== undefined && ` · ${value.toFixed(0)} % for White`} ·{' '}
        <a href={`/analyse?fen=${encodeURIComponent(game.fen)}&moves=${game.moves.join(',')}&ply=${shown}`}>Analyse</a>
      </p>
    </figure>
  );
}
