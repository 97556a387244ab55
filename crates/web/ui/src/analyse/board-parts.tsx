/** The board of the analysis and what stands around it. */

import { useMemo } from 'preact/hooks';
import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Key } from '@lichess-org/chessground/types';
import type { CommentShapeColor } from 'chessops/pgn';
import { makeSquare, parseSquare } from 'chessops/util';
import { Board } from '../board/board.tsx';
import { MiniBoard } from '../board/mini.tsx';
import { ArrowLayer } from './arrows.tsx';
import { forWhite, wdlOf } from './numbers.ts';
import { PlayerName } from './player-name.tsx';
import { useAnalysis } from './store.tsx';
import type { TreeNode } from './tree.ts';
import { WdlBar } from './wdl-bar.tsx';

export function AnalysisBoard() {
  const { node } = useAnalysis('game');
  const { orientation } = useAnalysis('choices');
  const { tries, move } = useAnalysis('solving');
  const { classes } = useAnalysis('heat');
  const { select } = useAnalysis('point');
  const shapes = useMemo(() => shapesOf(node), [node]);
  return (
    <Board
      fen={node.fen}
      lastMove={node.uci || null}
      orientation={orientation}
      movable="both"
      version={tries}
      onMove={move}
      marks={classes}
      shapes={shapes}
      onShapes={(drawn) => keepShapes(node, drawn)}
      onSelect={select}
    >
      <Arrows />
    </Board>
  );
}

/** Apart from the board, which has no part in the states of a search. */
function Arrows() {
  const { orientation } = useAnalysis('choices');
  const { arrows, badge } = useAnalysis('arrows');
  const { figures } = useAnalysis('heat');
  return <ArrowLayer arrows={arrows} orientation={orientation} figures={figures} badge={badge} />;
}

/** The value beside the board: the search's, else the review's, else the one that the engine found earlier. */
export function ValueBar() {
  const { node, line, whiteToMove } = useAnalysis('game');
  const { orientation } = useAnalysis('choices');
  const { trace } = useAnalysis('search');
  const { reviewed } = useAnalysis('review');
  const { quiet } = useAnalysis('solving');
  const values = useAnalysis('values');
  const seen = line[node.ply] === node ? values[node.ply] : null;
  const white = trace?.wdl ? forWhite(trace.wdl, whiteToMove) : reviewed ? wdlOf(reviewed) : (seen?.white ?? null);
  return <WdlBar white={quiet ? null : white} orientation={orientation} />;
}

export function PlayerAt({ end }: { end: 'top' | 'bottom' }) {
  const { tree } = useAnalysis('game');
  const { orientation } = useAnalysis('choices');
  return <PlayerName headers={tree.headers} colour={(orientation === 'white') === (end === 'bottom') ? 'White' : 'Black'} />;
}

export function PreviewBoard() {
  const { preview } = useAnalysis('pointed');
  const { orientation } = useAnalysis('choices');
  return preview && (
    <div class="preview">
      <MiniBoard fen={preview.fen} lastMove={preview.lastMove} orientation={orientation} label="The position of the line" />
    </div>
  );
}

/** Shapes drawn on a position. */
function shapesOf(node: TreeNode): DrawShape[] {
  return node.shapes.map(({ color, from, to }) => ({
    brush: color,
    orig: makeSquare(from),
    ...(from === to ? {} : { dest: makeSquare(to) }),
  }));
}

/** Keeps the drawn shapes with the position, from which they are written to the PGN. */
function keepShapes(node: TreeNode, drawn: readonly DrawShape[]): void {
  const square = (key: Key) => parseSquare(key) as number;
  node.shapes = drawn.map(({ brush, orig, dest }) => ({
    color: (brush ?? 'green') as CommentShapeColor,
    from: square(orig),
    to: square(dest ?? orig),
  }));
}
