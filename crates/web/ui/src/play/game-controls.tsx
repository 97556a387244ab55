/** Buttons for a game in progress. Resigning asks once, in place. */

import { useEffect, useState } from 'preact/hooks';
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
  return (
    <div class="button-row game-controls">
      <button type="button" disabled={!canUndo} onClick={() => link.act('undo')}>
        <Icon name="undo" /> Take back
      </button>
      <button type="button" disabled={!yours} onClick={onHint}>
        <Icon name="hint" /> Hint
      </button>
      <button type="button" disabled={!view} class={view?.claimable ? 'primary' : undefined} title={view?.claimable ?? 'Offer a draw (d)'} onClick={() => link.act('draw')}>
        <Icon name="draw" /> {view?.claimable ? 'Claim the draw' : 'Draw'}
      </button>
      {asking ? (
        <span class="question">
          Resign?
          <button type="button" class="danger" onClick={() => link.act('resign')}>
            Yes
          </button>
          <button type="button" onClick={() => setAsking(false)}>
            No
          </button>
        </span>
      ) : (
        <button type="button" disabled={!view} onClick={() => setAsking(true)}>
          <Icon name="resign" /> Resign
        </button>
      )}
    </div>
  );
}
