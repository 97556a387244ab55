/** Dialog for the glyph and the comment of a move. */

import { useState } from 'preact/hooks';
import { Dialog } from '../shell/dialog.tsx';
import type { TreeNode } from './tree.ts';

/** Glyphs by their number in the PGN standard. */
const GLYPHS = ['none of your own', '! good', '? mistake', '!! brilliant', '?? blunder', '!? interesting', '?! dubious'];

export function CommentDialog({ node, onNode, onClose }: { node: TreeNode; onNode: (node: TreeNode) => void; onClose: () => void }) {
  const [glyph, setGlyph] = useState(node.glyphs[0] ?? 0);
  const [text, setText] = useState(() => node.comments.join('\n'));
  /** Keeps what was changed; the other glyphs and comments of a PGN stay as they were. */
  const keep = () => {
    if (glyph !== (node.glyphs[0] ?? 0)) node.glyphs = glyph ? [glyph, ...node.glyphs.slice(1)] : node.glyphs.slice(1);
    if (text !== node.comments.join('\n')) node.comments = text.trim() ? [text.trim()] : [];
    onNode(node);
    onClose();
  };
  return (
    <Dialog title={`Comment on ${node.san}`} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          keep();
        }}
      >
        <label class="field">
          <span>Glyph</span>
          <select value={glyph} onChange={(event) => setGlyph(Number(event.currentTarget.value))}>
            {GLYPHS.map((name, index) => (
              <option key={index} value={index}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Comment</span>
          <textarea
            rows={4}
            value={text}
            // A brace would end the comment in the PGN.
            onInput={(event) => setText(event.currentTarget.value.replace(/[{}]/g, ''))}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              keep();
            }}
          />
        </label>
        <div class="button-row">
          <button type="submit" class="primary">
            Keep
          </button>
          <span class="note">Ctrl+Enter keeps it as well, Esc discards the changes.</span>
        </div>
      </form>
    </Dialog>
  );
}
