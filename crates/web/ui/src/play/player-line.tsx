/** One side's line at the board: name, captured pieces, clock, and whether the engine thinks. */

import { useEffect, useState } from 'preact/hooks';
import { type Position, materialOf } from '../chess/position.ts';
import type { Colour, GameView } from '../server/types.ts';

interface Props {
  colour: Colour;
  view: GameView | null;
  at: number;
  position: Position;
}

/** Below this the clock shows tenths and a warning. */
const LOW_TIME_MS = 20_000;
/** From this time on, the line of a thinking engine shows how long it has been thinking. */
const THINKING_SHOWN_MS = 400;

export function PlayerLine({ colour, view, at, position }: Props) {
  const { surplus, ahead } = materialOf(position)[colour];
  const isPerson = view?.person === colour;
  const name = view ? (isPerson ? `You (${colour === 'white' ? 'White' : 'Black'})` : (view.opponent.level ?? view.opponent.network)) : '';
  return (
    <>
      <p class="player-name">
        {name}
        {view?.thinking && !isPerson && <Thinking key={view.seq} />}
      </p>
      <span class="captured cg-wrap" aria-label={surplus.length > 0 ? `ahead by ${surplus.join(', ')}` : 'no material ahead'} role="img">
        {surplus.map((role, index) => (
          <piece key={index} class={`${role} ${colour === 'white' ? 'black' : 'white'}`} />
        ))}
        {ahead > 0 && <span class="figure">+{ahead}</span>}
      </span>
      {view?.clock && <Clock colour={colour} view={view} at={at} />}
    </>
  );
}

function Thinking() {
  const [ms, setMs] = useState(0);
  useEffect(() => {
    const start = performance.now();
    const timer = setInterval(() => setMs(performance.now() - start), 100);
    return () => clearInterval(timer);
  }, []);
  return <span class="thinking">{ms >= THINKING_SHOWN_MS ? `thinking ${(ms / 1000).toFixed(1)} s` : ''}</span>;
}

function Clock({ colour, view, at }: { colour: Colour; view: GameView; at: number }) {
  const clock = view.clock;
  const runs = clock?.running === colour;
  const [, tick] = useState(0);
  useEffect(() => {
    if (!runs) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), 100);
    return () => clearInterval(timer);
  }, [runs]);
  if (!clock) return null;
  const kept = colour === 'white' ? clock.white_ms : clock.black_ms;
  const left = Math.max(0, kept - (runs ? performance.now() - at : 0));
  return (
    <span class="clock figure" role="timer" data-running={runs || undefined} data-low={left < LOW_TIME_MS || undefined}>
      {clockText(left)}
    </span>
  );
}

/** `4:58`, `1:02:03`, and `0:07.4` when little is left. */
export function clockText(ms: number): string {
  const low = ms < LOW_TIME_MS;
  const seconds = low ? Math.floor(ms / 100) / 10 : Math.ceil(ms / 1000);
  const whole = Math.floor(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = low ? (seconds % 60).toFixed(1).padStart(4, '0') : two(whole % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
