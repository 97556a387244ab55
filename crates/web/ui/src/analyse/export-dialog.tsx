/** The game as PGN: as it is, or with the findings of its review. */

import { useState } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import type { ReviewView } from '../server/types.ts';
import { Dialog } from '../shell/dialog.tsx';
import { saveText } from '../shell/save.ts';
import { type GameTree, writePgn } from './tree.ts';
import { pgnWithReview } from './with-review.ts';

interface Props {
  tree: GameTree;
  review: ReviewView | null;
  onClose: () => void;
}

const CHOICES = [
  ['evaluations', 'Evaluations after each move ([%eval], [%wdl])'],
  ['glyphs', 'Glyphs ?! ? ?? where a move lost points'],
  ['lines', 'The better line as a variation there'],
] as const;

export function ExportDialog({ tree, review, onClose }: Props) {
  const [texts, setTexts] = useState({ evaluations: true, glyphs: true, lines: true });
  const [said, setSaid] = useState('');
  const reviewed = review !== null && review.points.length > 0;
  const anything = reviewed && (texts.evaluations || texts.glyphs || texts.lines);
  const pgn = anything ? pgnWithReview(tree, review, texts) : writePgn(tree);
  return (
    <Dialog title="Export" onClose={onClose} wide={true}>
      {reviewed ? (
        <fieldset class="form">
          <legend class="note">From the review</legend>
          {CHOICES.map(([name, text]) => (
            <label key={name} class="check">
              <input type="checkbox" checked={texts[name]} onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.checked })} />
              {text}
            </label>
          ))}
        </fieldset>
      ) : (
        <p class="note">Review the game first (r), and evaluations and better lines can be written in.</p>
      )}
      <label class="field">
        <span>PGN</span>
        <textarea class="mono" rows={12} readOnly={true} value={pgn} />
      </label>
      <div class="button-row">
        <button
          type="button"
          class="primary"
          onClick={() =>
            navigator.clipboard.writeText(pgn).then(
              () => setSaid('PGN copied.'),
              () => setSaid('Not copied: the browser refused.'),
            )
          }
        >
          <Icon name="copy" /> Copy
        </button>
        <button type="button" onClick={() => saveText('game.pgn', pgn, 'application/x-chess-pgn')}>
          <Icon name="export" /> Download
        </button>
        <span class="note" role="status">
          {said}
        </span>
      </div>
    </Dialog>
  );
}
