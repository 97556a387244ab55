/** The choice of the promotion piece, in a column that begins at the square the pawn reached. */

import type { Key } from '@lichess-org/chessground/types';
import type { Role } from 'chessops/types';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Colour } from '../server/types.ts';

const CHOICES: { role: Role; key: string }[] = [
  { role: 'queen', key: 'q' },
  { role: 'knight', key: 'n' },
  { role: 'rook', key: 'r' },
  { role: 'bishop', key: 'b' },
];

interface Props {
  square: Key;
  colour: Colour;
  orientation: Colour;
  onChoose: (role: Role) => void;
  onCancel: () => void;
}

export function PromotionChooser({ square, colour, orientation, onChoose, onCancel }: Props) {
  const first = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    first.current?.focus({ preventScroll: true });
    const press = (event: KeyboardEvent) => {
      const choice = CHOICES.find(({ key }) => key === event.key.toLowerCase());
      if (event.key !== 'Escape' && !choice) return;
      event.preventDefault();
      event.stopPropagation();
      if (choice) onChoose(choice.role);
      else onCancel();
    };
    addEventListener('keydown', press, true);
    return () => removeEventListener('keydown', press, true);
  }, []);
  const file = square.charCodeAt(0) - 'a'.charCodeAt(0);
  const column = orientation === 'white' ? file : 7 - file;
  const atTop = (square[1] === '8') === (orientation === 'white');
  return (
    <div class="promotion" role="dialog" aria-label="Promote to" onPointerDown={(event) => {
      if (event.target === event.currentTarget) onCancel();
    }}>
      {CHOICES.map(({ role }, index) => (
        <button
          key={role}
          ref={index === 0 ? first : null}
          type="button"
          class="promotion-choice cg-wrap"
          style={{ left: `${column * 12.5}%`, top: `${(atTop ? index : 7 - index) * 12.5}%` }}
          onClick={() => onChoose(role)}
          aria-label={role}
        >
          <piece class={`${role} ${colour}`} />
        </button>
      ))}
    </div>
  );
}
