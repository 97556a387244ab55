/** A field for a move typed as SAN or UCI, or a word such as `resign`; shown on demand. If several moves fit, they are named. */

import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { type Position, typedMoves } from '../chess/position.ts';

interface Props {
  field: RefObject<HTMLInputElement | null>;
  position: Position;
  enabled: boolean;
  onMove: (uci: string) => void;
  words: Record<string, () => void>;
  onClose: () => void;
}

export function MoveEntry({ field, position, enabled, onMove, words, onClose }: Props) {
  const [text, setText] = useState('');
  const [said, setSaid] = useState('');
  useLayoutEffect(() => field.current?.focus(), []);
  const submit = () => {
    // The key that opens this field is typed again by whoever does not see that it still has the focus.
    const typed = text.trim().replace(/^\//, '');
    const word = words[typed.toLowerCase()];
    const moves = typedMoves(position, typed);
    const only = moves.length === 1 ? moves[0] : undefined;
    if (word) word();
    else if (!enabled) return setSaid('It is not your turn.');
    else if (only) onMove(only.uci);
    else if (moves.length > 1) return setSaid(`Which move: ${moves.map((move) => move.san).join(', ')}?`);
    else return setSaid(`"${typed}" is not a legal move here.`);
    setText('');
    setSaid('');
  };
  return (
    <form
      class="move-entry"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) submit();
      }}
    >
      <label>
        <span>Move</span>
        <input
          ref={field}
          type="text"
          value={text}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder="Nf3"
          onInput={(event) => {
            setText(event.currentTarget.value);
            setSaid('');
          }}
          onKeyDown={(event) => event.key === 'Escape' && onClose()}
        />
      </label>
      <span class="problem" role="status">
        {said}
      </span>
    </form>
  );
}
