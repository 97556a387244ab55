/** The line under the moves: the hint or the move shown, a field for a typed move, and the switches for both. */

import { parseSquare } from 'chessops/util';
import { useRef, useState } from 'preact/hooks';
import type { Position } from '../chess/position.ts';
import { Icon } from '../icons.tsx';
import { MoveEntry } from './move-entry.tsx';
import { SoundButton } from './sound-button.tsx';
import type { GameLink } from './use-game.ts';
import type { Hint, ShownGame } from './use-shown-game.ts';

/** The field for a typed move is open or not; the focus goes into it, and back to its button. */
export function useTyping() {
  const [on, setOn] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  return {
    on,
    field,
    button,
    begin: () => {
      setOn(true);
      field.current?.focus();
    },
    end: () => {
      setOn(false);
      button.current?.focus();
    },
  };
}

interface Props {
  link: GameLink;
  game: ShownGame;
  hint: Hint | null;
  typing: ReturnType<typeof useTyping>;
  onFlip: () => void;
}

export function BoardNote({ link, game, hint, typing, onFlip }: Props) {
  const { position, atEnd, yours, ply, last, step } = game;
  const going = link.view?.end === null;
  return (
    <div class="board-note">
      {typing.on && going && (
        <MoveEntry
          field={typing.field}
          position={position}
          enabled={yours && atEnd}
          onMove={link.play}
          words={{
            resign: () => link.act('resign'),
            draw: () => link.act('draw'),
            undo: () => link.act('undo'),
            flip: onFlip,
          }}
          onClose={typing.end}
        />
      )}
      <p role="note">
        {atEnd ? hintText(hint, position) : <>Viewing move {Math.ceil(ply / 2)} · <button type="button" class="link" onClick={() => step(last)}>back to the game</button></>}
      </p>
      {going && (
        <button
          ref={typing.button}
          type="button"
          class="icon-button"
          aria-label="Type a move"
          aria-pressed={typing.on}
          title="Type a move (/)"
          onClick={typing.on ? typing.end : typing.begin}
        >
          <Icon name="keys" />
        </button>
      )}
      <SoundButton />
    </div>
  );
}

/** The hint in words: first the piece, then the move. */
function hintText(hint: Hint | null, position: Position): string {
  if (!hint) return '';
  const from = hint.uci.slice(0, 2);
  const role = position.board.get(parseSquare(from) ?? 0)?.role ?? 'piece';
  return hint.stage === 1 ? `Hint: the ${role} on ${from}` : `Hint: the ${role} from ${from} to ${hint.uci.slice(2, 4)}`;
}
