import { Dialog } from './dialog.tsx';

const KEYS: [string, [string, string][]][] = [
  [
    'Everywhere',
    [
      ['g then p', 'go to a screen by its first letter'],
      ['?', 'these keys'],
      ['Esc', 'cancel a premove or a selection, close a dialog'],
    ],
  ],
  [
    'Play',
    [
      ['← →, k j', 'one move back or on'],
      ['Home End, 0 $', 'first or last position'],
      ['f', 'turn the board'],
      ['u', 'take back'],
      ['y', 'hint; again: the move'],
      ['d', 'offer a draw'],
      ['/', 'type a move'],
    ],
  ],
  [
    'Board with the focus (Tab leads there)',
    [
      ['arrows', 'from square to square'],
      ['Enter, Space', 'pick a piece, put it down'],
      ['q n r b', 'choose the piece of a promotion'],
    ],
  ],
];

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      {KEYS.map(([where, keys]) => (
        <section key={where}>
          <h3>{where}</h3>
          <dl class="keys">
            {keys.map(([key, what]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
