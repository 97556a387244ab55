/** Layers over the pieces of the board: arrows, heat, and the glyph of the move shown. */

import type { Key } from '@lichess-org/chessground/types';
import { useMemo, useState } from 'preact/hooks';
import type { TracedMove } from '../server/types.ts';
import { useSettings } from '../settings.ts';
import { type Arrow, type Badge, type Labelling, arrowsOf } from './arrows.tsx';
import { heatOf, worthHeat } from './heat.ts';
import type { Layers } from './layer-buttons.tsx';
import type { View } from './numbers.ts';
import type { TreeNode } from './tree.ts';
import type { Engine } from './use-engine.ts';
import { useWorth } from './use-worth.ts';
import { MARKS, type Reason, isFault } from './why.tsx';

/** Width of arrows that are one stroke, in squares; only their kind distinguishes them. */
const STROKE = 4 / 64;

export function useLayers() {
  return useState<Layers>({ arrows: true, heat: 'off', threat: false, label: 'visits' });
}

interface Wanted {
  layers: Layers;
  engine: Engine;
  node: TreeNode;
  /** Incremented when the tree may have changed. */
  changed: number;
  reason: Reason | null;
  /** The move under the pointer: only its arrow stays. */
  hovered: string | null;
  /** The square of a selected piece: only the arrows of its moves stay. */
  selected: Key | null;
  /** True if the engine's output is hidden. */
  quiet: boolean;
  /** The side whose values the labels show. */
  view: View;
}

export function useDrawing({ layers, engine, node, changed, reason, hovered, selected, quiet, view }: Wanted) {
  const { unit } = useSettings();
  const { trace, other, threat } = engine;
  const fault = isFault(reason) ? reason : null;
  const arrows = useMemo<Arrow[]>(() => {
    if (!layers.arrows || quiet) return [];
    const drawn: Arrow[] = [];
    const spot = (moves: TracedMove[]) => (selected ? moves.filter((one) => one.uci.startsWith(selected)) : moves);
    const stroke = (kind: 'played' | 'threat' | 'better', uci: string, label = '') =>
      drawn.push({ id: kind, uci, kind, width: STROKE, opacity: 1, label });
    const labelling: Labelling = { label: layers.label, whiteToMove: node.fen.split(' ')[1] === 'w', view, unit };
    const [next] = node.children;
    if (other) drawn.push(...arrowsOf(spot(other.moves), 'net-b', labelling, hovered));
    if (trace) drawn.push(...arrowsOf(spot(trace.moves), 'net-a', labelling, hovered));
    if (next && !hovered) stroke('played', next.uci);
    if (layers.threat && threat) stroke('threat', threat.uci, '!');
    if (fault && fault.point.best && fault.point.best !== node.uci) stroke('better', fault.point.best);
    return drawn;
  }, [layers, trace, other, threat, hovered, node, changed, selected, quiet, view, unit, fault?.point.best]);
  const { worth, problem } = useWorth(layers.heat === 'worth' && !quiet, engine.network, node.fen);
  const heat = useMemo(
    () => (layers.heat === 'worth' ? worthHeat(worth) : heatOf(layers.heat !== 'off' && !quiet ? (trace?.moves ?? []) : [], layers.heat)),
    [layers.heat, trace, quiet, worth],
  );
  const badge: Badge | null =
    fault?.point.judgement && !quiet ? { square: node.uci.slice(2, 4), text: MARKS[fault.point.judgement] ?? '', judgement: fault.point.judgement } : null;
  const blind = (layers.heat === 'to' || layers.heat === 'from') && trace?.moves.every((move) => move.prior === null);
  return { arrows, heat, badge, problem: blind ? 'This network has no policy.' : problem };
}
