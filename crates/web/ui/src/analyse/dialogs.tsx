/** The dialogs of the analysis board, one at a time. */

import { go } from '../route.ts';
import { AnalysesDialog } from './analyses-dialog.tsx';
import { CommentDialog } from './comment-dialog.tsx';
import { Editor } from './editor.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { useAnalysis } from './store.tsx';

export function AnalysisDialogs() {
  const { tree, node, setNode, setTree } = useAnalysis('game');
  const { dialog, given, choose } = useAnalysis('choices');
  const { review } = useAnalysis('review');
  const close = () => choose({ dialog: null, given: undefined });
  switch (dialog) {
    case 'analyses':
      return <AnalysesDialog onClose={close} />;
    case 'export':
      return <ExportDialog tree={tree} review={review} onClose={close} />;
    case 'comment':
      return <CommentDialog node={node} onNode={setNode} onClose={close} />;
    case 'import':
      return (
        <ImportDialog
          key={given}
          given={given}
          onClose={close}
          onGame={(game) => {
            setTree(game);
            close();
          }}
        />
      );
    case 'editor':
      return (
        <Editor
          fen={node.fen}
          onClose={close}
          onPosition={(fen) => {
            close();
            go(`/analyse?fen=${encodeURIComponent(fen)}`);
          }}
        />
      );
    default:
      return null;
  }
}
