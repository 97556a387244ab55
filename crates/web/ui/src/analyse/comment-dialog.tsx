/** Dialog for the glyph and the comment of a move. */

import { Dialog } from '../shell/dialog.tsx';
import type { TreeNode } from './tree.ts';

/** Glyphs by their number in the PGN standard. */
const GLYPHS = ['no glyph', '! good', '? mistake', '!! brilliant', '?? blunder', '!? interesting', '?! dubious'];

export function CommentDialog({ node, onNode, onClose }: { node: TreeNode; onNode: (node: TreeNode) => void; onClose: () => void }) {
  return (
    <Dialog title={`Comment on ${node.san}`} onClose={onClose}>
      <div class="form">
        <label class="field">
          <span>Glyph</span>
          <select
            value={node.glyphs[0] ?? 0}
            onChange={(event) => {
              const glyph = Number(event.currentTarget.value);
              node.glyphs = glyph ? [glyph] : [];
              onNode(node);
            }}
          >
            {GLYPHS.map((glyph, index) => (
              <option key={index} value={index}>
                {glyph}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Comment</span>
          <input
            type="text"
            value={node.comments.join(' ')}
            onChange={(event) => {
              const text = event.currentTarget.value.trim();
              node.comments = text ? [text] : [];
              onNode(node);
            }}
          />
        </label>
      </div>
    </Dialog>
  );
}
