/** A line of moves. The small board shows the position under the pointer; a click adds the line as a variation. */

import { numbered } from './numbers.ts';
import { type TreeNode, emptyTree, playSans } from './tree.ts';

interface Props {
  name: string;
  /** The position before the line. */
  from: TreeNode;
  sans: readonly string[];
  onNode: (node: TreeNode) => void;
  /** Previews a position of the line, which is not part of the game. */
  onPreview: (node: TreeNode | null) => void;
}

export function LineText({ name, from, sans, onNode, onPreview }: Props) {
  const look = (index: number) => onPreview(playSans(emptyTree(from.fen).root, sans.slice(0, index + 1)));
  return (
    <p class="why-line" onPointerLeave={() => onPreview(null)} onFocusOut={() => onPreview(null)}>
      <span class="note">{name}</span>{' '}
      {numbered(sans, from.fen).map((text, index) => (
        <button key={index} type="button" class="move" onPointerEnter={() => look(index)} onFocus={() => look(index)} onClick={() => onNode(playSans(from, sans.slice(0, index + 1)))}>
          {text}
        </button>
      ))}
    </p>
  );
}
