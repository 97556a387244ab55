/** The dialogs of the analysis board, one at a time. */

import { go } from '../route.ts';
import type { ReviewView } from '../server/types.ts';
import { CommentDialog } from './comment-dialog.tsx';
import { Editor } from './editor.tsx';
import { ExportDialog } from './export-dialog.tsx';
import type { GameDialog } from './game-menu.ts';
import { ImportDialog } from './import-dialog.tsx';
import type { GameTree, TreeNode } from './tree.ts';

interface Props {
  dialog: GameDialog | null;
  /** Text that the import dialog opens with. */
  given: string | undefined;
  tree: GameTree;
  node: TreeNode;
  review: ReviewView | null;
  onClose: () => void;
  onGame: (game: GameTree) => void;
  onNode: (node: TreeNode) => void;
}

export function AnalysisDialogs({ dialog, given, tree, node, review, onClose, onGame, onNode }: Props) {
  switch (dialog) {
    case 'export':
      return <ExportDialog tree={tree} review={review} onClose={onClose} />;
    case 'comment':
      return <CommentDialog node={node} onNode={onNode} onClose={onClose} />;
    case 'import':
      return <ImportDialog key={given} given={given} onClose={onClose} onGame={onGame} />;
    case 'editor':
      return (
        <Editor
          fen={node.fen}
          onClose={onClose}
          onPosition={(fen) => {
            onClose();
            go(`/analyse?fen=${encodeURIComponent(fen)}`);
          }}
        />
      );
    default:
      return null;
  }
}
