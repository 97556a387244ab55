/** Play: a set-up board on which the first move starts a game, or one game. */

import type { ScreenProps } from '../app.tsx';
import { Missing } from '../shell/missing.tsx';
import { GameScreen } from './game-screen.tsx';
import { StartScreen } from './start-screen.tsx';
import { useGame } from './use-game.ts';

export function PlayScreen({ route }: ScreenProps) {
  const id = route.path[1];
  return id ? <OneGame id={id} key={id} /> : <StartScreen />;
}

function OneGame({ id }: { id: string }) {
  const game = useGame(id);
  if (game.missing) return <Missing what={`game ${id}`} list={{ href: '/', text: 'Start a game' }} />;
  return <GameScreen id={id} link={game} />;
}
