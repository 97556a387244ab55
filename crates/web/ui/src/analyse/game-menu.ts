/** Actions on the game and on the move shown, as entries of a menu. */

import { go } from '../route.ts';
import type { MenuItem } from '../shell/menu.tsx';
import { isBlank } from './place.ts';
import { type GameTree, type TreeNode, emptyTree, isMainLine, lineTo, makeMainLine, playLine, promote, removeFrom, writePgn } from './tree.ts';

export type GameDialog = 'analyses' | 'import' | 'export' | 'editor' | 'comment';

interface Handlers {
  onTree: (tree: GameTree) => void;
  onNode: (node: TreeNode) => void;
  onDialog: (dialog: GameDialog) => void;
  onPlay: () => void;
  /** Shows the input of the network. */
  onPlanes: () => void;
  onFlip: () => void;
  /** Saves the board as it is. */
  onPicture: () => void;
  /** Reports the result of an action in a place where nothing else moves. */
  onSaid: (text: string) => void;
}

export function gameMenu(tree: GameTree, node: TreeNode, handlers: Handlers): MenuItem[] {
  const { onTree, onNode, onDialog, onSaid } = handlers;
  const copy = (what: string, text: string) => {
    navigator.clipboard.writeText(text).then(
      () => onSaid(`${what} copied.`),
      () => onSaid(`${what} could not be copied: the browser refused.`),
    );
  };
  const changed = (change: (node: TreeNode) => void) => () => {
    change(node);
    onNode(node);
  };
  const toHere = () => {
    const part = { ...emptyTree(tree.root.fen), headers: tree.headers };
    playLine(part.root, lineTo(node));
    copy(`PGN to ${node.san}`, writePgn(part));
  };
  const begin = () => {
    onTree(emptyTree());
    if (!isBlank(tree)) onSaid('Back returns to the game before.');
  };
  const items: MenuItem[] = [
    { text: 'Analyses', icon: 'menu', act: () => onDialog('analyses') },
    { text: 'Import', icon: 'import', act: () => onDialog('import') },
    { text: 'Export', icon: 'export', act: () => onDialog('export') },
    { text: 'Copy PGN', icon: 'copy', act: () => copy('PGN', writePgn(tree)) },
    { text: 'Copy link', icon: 'copy', act: () => copy('Link', location.href) },
    { text: 'Copy FEN', icon: 'copy', act: () => copy('FEN', node.fen) },
    { text: 'Save a picture', icon: 'export', act: handlers.onPicture },
    { text: 'Editor', icon: 'editor', act: () => onDialog('editor') },
    { text: 'Flip the board', icon: 'flip', act: handlers.onFlip },
    { text: 'Play from here', icon: 'play', act: handlers.onPlay },
    { text: 'My games with this position', icon: 'play', act: () => go(`/play/games?${new URLSearchParams({ fen: node.fen })}`) },
    { text: 'Input planes of the network', icon: 'heat', act: handlers.onPlanes },
    { text: 'New game', icon: 'plus', act: begin },
  ];
  if (!node.parent) return items;
  const own: MenuItem[] = [
    { text: `Comment and glyph of ${node.san}`, icon: 'editor', act: () => onDialog('comment') },
    { text: `Copy to ${node.san}`, icon: 'copy', act: toHere },
    { text: `Delete from ${node.san}`, icon: 'close', act: () => onNode(removeFrom(node)) },
  ];
  if (node.parent.children[0] !== node) own.push({ text: `Promote ${node.san}`, icon: 'tree', act: changed(promote) });
  if (!isMainLine(node)) own.push({ text: 'Make main line', icon: 'tree', act: changed(makeMainLine) });
  return [...items, ...own];
}
