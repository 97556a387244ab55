/** What can be done with the game and with the move shown. */

import { useState } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { type GameTree, type TreeNode, emptyTree, isMainLine, lineTo, makeMainLine, playLine, promote, removeFrom, writePgn } from './tree.ts';

interface Props {
  tree: GameTree;
  node: TreeNode;
  onTree: (tree: GameTree) => void;
  onNode: (node: TreeNode) => void;
  onDialog: (dialog: 'import' | 'export' | 'editor') => void;
  onPlay: () => void;
}

/** By their number in the PGN standard. */
const GLYPHS = ['no glyph', '!', '?', '!!', '??', '!?', '?!'];

export function NodeActions({ tree, node, onTree, onNode, onDialog, onPlay }: Props) {
  const [said, setSaid] = useState('');
  const copy = (what: string, text: string) => {
    navigator.clipboard.writeText(text).then(
      () => setSaid(`${what} copied.`),
      () => setSaid(`${what} could not be copied: the browser refused.`),
    );
  };
  const inVariation = node.parent !== null && node.parent.children[0] !== node;
  return (
    <section class="node-actions" aria-label="Game">
      <div class="button-row">
        <button type="button" onClick={() => onDialog('import')}>
          <Icon name="import" /> Import
        </button>
        <button type="button" onClick={() => onDialog('editor')}>
          <Icon name="editor" /> Editor
        </button>
        <button type="button" onClick={() => copy('PGN', writePgn(tree))}>
          <Icon name="copy" /> Copy PGN
        </button>
        <button type="button" onClick={() => onDialog('export')}>
          <Icon name="export" /> Export
        </button>
        <button type="button" onClick={() => copy('FEN', node.fen)}>
          <Icon name="copy" /> Copy FEN
        </button>
        <button type="button" onClick={onPlay}>
          <Icon name="play" /> Play from here
        </button>
        <button type="button" onClick={() => onTree(emptyTree())}>
          New
        </button>
      </div>
      {node.parent && (
        <div class="button-row">
          {inVariation && (
            <button
              type="button"
              onClick={() => {
                promote(node);
                onNode(node);
              }}
            >
              Promote {node.san}
            </button>
          )}
          {!isMainLine(node) && (
            <button
              type="button"
              onClick={() => {
                makeMainLine(node);
                onNode(node);
              }}
            >
              Make main line
            </button>
          )}
          <label class="inline-field">
            <span class="sr-only">Glyph of {node.san}</span>
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
          <button
            type="button"
            onClick={() => {
              const part = { ...emptyTree(tree.root.fen), headers: tree.headers };
              playLine(part.root, lineTo(node));
              copy(`PGN to ${node.san}`, writePgn(part));
            }}
          >
            Copy to here
          </button>
          <button type="button" onClick={() => onNode(removeFrom(node))}>
            Delete from {node.san}
          </button>
          <label class="inline-field comment-field">
            <span class="sr-only">Comment on {node.san}</span>
            <input
              type="text"
              placeholder={`Comment on ${node.san}`}
              value={node.comments.join(' ')}
              onChange={(event) => {
                const text = event.currentTarget.value.trim();
                node.comments = text ? [text] : [];
                onNode(node);
              }}
            />
          </label>
        </div>
      )}
      <p class="note" role="status">
        {said}
      </p>
    </section>
  );
}
