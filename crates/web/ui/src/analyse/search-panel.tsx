/** The engine's results for the position: always in the same place and at the same height, whether it searches or not. */

import type { ComponentChildren } from 'preact';
import type { ReviewPoint, TracedMove } from '../server/types.ts';
import { EngineBar } from './engine-bar.tsx';
import { Headline } from './headline.tsx';
import type { Layers } from './layer-buttons.tsx';
import { MoveTable } from './move-table.tsx';
import type { View } from './numbers.ts';
import type { TreeNode } from './tree.ts';
import type { Engine } from './use-engine.ts';
import { type Reason, Why } from './why.tsx';

interface Props {
  engine: Engine;
  node: TreeNode;
  reason: Reason | null;
  reviewed: ReviewPoint | null;
  view: View;
  onView: () => void;
  layers: Layers;
  onLayers: (layers: Layers) => void;
  quiet: boolean;
  /** The moves of the table: all, or those of the selected piece. */
  moves: TracedMove[];
  all: boolean;
  onAll: () => void;
  hovered: string | null;
  onHover: (uci: string | null) => void;
  onNode: (node: TreeNode) => void;
  onLine: (move: TracedMove, length: number) => void;
  onPreview: (move: TracedMove, length: number) => void;
  /** Shows a position of a line of the review on the small board. */
  onLook: (node: TreeNode | null) => void;
  /** The two lines at the top. */
  explained: ComponentChildren;
  /** Replaces the table. */
  instead: ComponentChildren;
}

export function SearchPanel(props: Props) {
  const { engine, node, reason, quiet } = props;
  const whiteToMove = node.fen.split(' ')[1] === 'w';
  const { trace, other } = engine;
  return (
    <section class="search-panel" aria-label="Search">
      {props.explained}
      <EngineBar engine={engine} layers={props.layers} onLayers={props.onLayers} />
      <div class="headline-row">
        {quiet ? (
          <p class="headline note">hidden</p>
        ) : (
          <Headline trace={trace} two={engine.second !== null} other={other} reviewed={props.reviewed} whiteToMove={whiteToMove} view={props.view} onView={props.onView} />
        )}
      </div>
      <div class="table-slot">
        {props.instead ??
          (trace && trace.moves.length > 0 ? (
            <MoveTable
              fen={node.fen}
              moves={props.moves}
              two={engine.second !== null}
              other={other?.moves ?? null}
              all={props.all}
              settled={engine.kept !== null || engine.search.view?.stage !== 'running'}
              onAll={props.onAll}
              whiteToMove={whiteToMove}
              view={props.view}
              hovered={props.hovered}
              onHover={props.onHover}
              onLine={props.onLine}
              only={engine.only}
              onOnly={engine.toggleOnly}
              onPreview={props.onPreview}
            />
          ) : (
            <Why reason={reason} view={props.view} onNode={props.onNode} onPreview={props.onLook} />
          ))}
      </div>
    </section>
  );
}
