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
      ['← →, k j', 'one move back or forward'],
      ['Home End, 0 $', 'first or last position'],
      ['f', 'flip the board'],
      ['u', 'take back'],
      ['y', 'hint; again: the move'],
      ['d', 'offer a draw'],
      ['/', 'type a move'],
    ],
  ],
  [
    'Analyse',
    [
      ['← →, k j, Home End', 'one move back or forward, first or last position'],
      ['↑ ↓', 'choose a variation at a fork'],
      ['Shift ← →', 'leave the variation, go to the next fork'],
      ['l, Space', 'engine on or off; Space again plays its best move'],
      ['n, w, z', 'second network, whose percentages, hide the engine'],
      ['a, h, x, v', 'arrows, heat (to, from, worth, off), threat, figures on arrows'],
      ['1 to 9', 'go to a row of the table; with Shift: play it'],
      ['[ ]', 'walk a line on a small board'],
      ['t, r', 'tree, review'],
      ['i, m, b', 'next inaccuracy, mistake, blunder'],
      ['Delete', 'delete from this move on'],
    ],
  ],
  [
    'With the focus on the board (Tab)',
    [
      ['arrows', 'from square to square'],
      ['Enter, Space', 'pick a piece, put it down'],
      ['p n b r q k', 'next such piece; with Shift: the one before'],
      ['1 to 8', 'rank; with Shift: file'],
      ['o, m, l', 'say: this square, its moves, the last move'],
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
