/** Buttons for a game in progress, beside the step buttons. Resigning asks once, in place of the buttons. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import type { GameView } from '../server/types.ts';
import type { GameLink } from './use-game.ts';

interface Props {
  view: GameView | null;
  canUndo: boolean;
  yours: boolean;
  link: GameLink;
  onHint: () => void;
}

/** Milliseconds for which the question stays. */
const QUESTION_MS = 4000;

export function GameControls({ view, canUndo, yours, link, onHint }: Props) {
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    if (!asking) return undefined;
    const timer = setTimeout(() => setAsking(false), QUESTION_MS);
    return () => clearTimeout(timer);
  }, [asking]);
  if (asking) return <Question key="question" onYes={() => link.act('resign')} onNo={() => setAsking(false)} />;
  return (
    <div key="controls" class="game-controls">
      <button type="button" disabled={!canUndo} onClick={() => link.act('undo')}>
        <Icon name="undo" /> Take back
      </button>
      <button type="button" disabled={!yours} onClick={onHint}>
        <Icon name="hint" /> Hint
      </button>
      <button type="button" disabled={!view} class={view?.claimable ? 'primary' : undefined} title={view?.claimable ?? 'Offer a draw (d)'} onClick={() => link.act('draw')}>
        <Icon name="draw" /> {view?.claimable ? 'Claim the draw' : 'Draw'}
      </button>
      <button type="button" disabled={!view} onClick={() => setAsking(true)}>
        <Icon name="resign" /> Resign
      </button>
    </div>
  );
}

/** Begins at the left, so that a second click where "Resign" was does not answer it, and a second Enter meets "No". */
function Question({ onYes, onNo }: { onYes: () => void; onNo: () => void }) {
  const no = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => no.current?.focus(), []);
  return (
    <div class="game-controls">
      Resign?
      <button type="button" class="danger" onClick={onYes}>
        Yes
      </button>
      <button ref={no} type="button" onClick={onNo}>
        No
      </button>
    </div>
  );
}
