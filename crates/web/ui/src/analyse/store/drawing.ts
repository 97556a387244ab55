/** What is drawn over the pieces of the board: arrows, heat, and the glyph of the move shown. */

import type { Key } from '@lichess-org/chessground/types';
import { useMemo } from 'preact/hooks';
import type { TracedMove } from '../../server/types.ts';
import { useSettings } from '../../settings.ts';
import { type Arrow, type Badge, type Labelling, arrowsOf } from '../arrows.tsx';
import { heatOf, worthHeat } from '../heat.ts';
import type { Layers } from '../layer-buttons.tsx';
import { MARKS, type Reason, isFault } from '../reason.ts';
import { useWorth } from '../use-worth.ts';
import type { Choices } from './choices.ts';
import type { Engine } from './engine.ts';
import type { Game } from './game.ts';
import type { Pointed } from './pointer.ts';
import type { Search } from './search.ts';

/** Width of arrows that are one stroke, in squares; only their kind distinguishes them. */
const STROKE = 4 / 64;

const NO_MOVES: TracedMove[] = [];

/** While the output is hidden (`quiet`), there are none. `reason` is the fault whose better move is drawn. */
export function useArrows(game: Game, search: Search, choices: Choices, { hovered, selected }: Pointed, reason: Reason | null, quiet: boolean) {
  const { unit } = useSettings();
  const { trace, other, threat } = search;
  const { layers, view } = choices;
  const fault = isFault(reason) ? reason : null;
  const arrows = useMemo<Arrow[]>(() => {
    if (!layers.arrows || quiet) return [];
    const { node, whiteToMove } = game;
    const drawn: Arrow[] = [];
    const stroke = (kind: 'played' | 'threat' | 'better', uci: string, label = '') =>
      drawn.push({ id: kind, uci, kind, width: STROKE, opacity: 1, label });
    const labelling: Labelling = { label: layers.label, whiteToMove, view, unit };
    const [next] = node.children;
    if (other) drawn.push(...arrowsOf(ofPiece(other.moves, selected), 'net-b', labelling, hovered));
    if (trace) drawn.push(...arrowsOf(ofPiece(trace.moves, selected), 'net-a', labelling, hovered));
    if (next && !hovered) stroke('played', next.uci);
    if (layers.threat && threat) stroke('threat', threat.uci, '!');
    if (fault && fault.point.best && fault.point.best !== node.uci) stroke('better', fault.point.best);
    return drawn;
  }, [layers, trace, other, threat, hovered, game, selected, quiet, view, unit, fault?.point.best]);
  const judgement = quiet ? null : (fault?.point.judgement ?? null);
  const square = game.node.uci.slice(2, 4);
  const badge = useMemo<Badge | null>(() => judgement && { square, text: MARKS[judgement] ?? '', judgement }, [judgement, square]);
  return useMemo(() => ({ arrows, badge }), [arrows, badge]);
}

/** The moves of a selected piece; all moves if there is none. */
function ofPiece(moves: TracedMove[], selected: Key | null): TracedMove[] {
  return selected ? moves.filter((one) => one.uci.startsWith(selected)) : moves;
}

export function useHeat({ node }: Game, { trace }: Search, { network }: Engine, { heat }: Layers, quiet: boolean) {
  const { worth, problem } = useWorth(heat === 'worth' && !quiet, network, node.fen);
  const moves = (heat === 'to' || heat === 'from') && !quiet ? (trace?.moves ?? NO_MOVES) : NO_MOVES;
  const drawn = useMemo(() => (heat === 'worth' ? worthHeat(worth) : heatOf(moves, heat)), [heat, moves, worth]);
  const blind = (heat === 'to' || heat === 'from') && trace?.moves.every((move) => move.prior === null);
  const said = blind ? 'This network has no policy.' : problem;
  return useMemo(() => ({ ...drawn, problem: said }), [drawn, said]);
}
