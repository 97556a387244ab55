/** A line of moves. The small board shows the position under the pointer; a click adds the line as a variation. */

import { numbered } from './numbers.ts';
import { useAnalysis } from './store.tsx';
import { type TreeNode, emptyTree, playSans } from './tree.ts';

interface Props {
  name: string;
  /** The position before the line. */
  from: TreeNode;
  sans: readonly string[];
}

export function LineText({ name, from, sans }: Props) {
  const { setNode } = useAnalysis('game');
  const { look } = useAnalysis('point');
  /** The position is not part of the game until its move is clicked. */
  const lookAt = (index: number) => look(playSans(emptyTree(from.fen).root, sans.slice(0, index + 1)));
  return (
    <p class="why-line" onPointerLeave={() => look(null)} onFocusOut={() => look(null)}>
      <span class="note">{name}</span>{' '}
      {numbered(sans, from.fen).map((text, index) => (
        <button
          key={index}
          type="button"
          class="move"
          onPointerEnter={() => lookAt(index)}
          onFocus={() => lookAt(index)}
          onClick={() => setNode(playSans(from, sans.slice(0, index + 1)))}
        >
          {text}
        </button>
      ))}
    </p>
  );
}
