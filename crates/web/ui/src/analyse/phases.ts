/** The phases of a game, the accuracy of its sides in each, and the moments that decided it: from the numbers of its review. */

import type { Colour, ReviewPoint } from '../server/types.ts';
import { largest } from './strip.tsx';

export const PHASES = ['opening', 'middlegame', 'endgame'] as const;
export type Phase = (typeof PHASES)[number];

/** Pieces besides kings and pawns from which down a position is an endgame, as in Lichess (scalachess: core/src/main/scala/Divider.scala). */
const ENDGAME_PIECES = 6;

function piecesOf(fen: string): number {
  return (fen.split(' ')[0] ?? '').replaceAll(/[^qrbn]/gi, '').length;
}

/**
 * The phase of each move. `fens` are the positions from the first on; the opening ends with the last position that has a name,
 * after `named` half-moves.
 */
export function phasesOf(fens: readonly string[], named: number | null): Phase[] {
  const endgame = fens.findIndex((fen) => piecesOf(fen) <= ENDGAME_PIECES);
  return fens.slice(0, -1).map((_, ply) => {
    // A pawn that becomes a queen does not lead back to the middlegame.
    if (endgame >= 0 && ply >= endgame) return 'endgame';
    return ply < (named ?? 0) ? 'opening' : 'middlegame';
  });
}

export interface PhaseAccuracy {
  phase: Phase;
  /** Mean accuracy of a side's moves; null if it had no choice in this phase. */
  accuracy: Record<Colour, number | null>;
}

/** The accuracies of both sides by phase, of the phases that the game had. Forced moves do not count. */
export function accuracyByPhase(points: readonly ReviewPoint[], phases: readonly Phase[], whiteFirst: boolean): PhaseAccuracy[] {
  const judged = points.filter((point) => point.accuracy !== null && point.judgement !== 'forced' && phases[point.ply] !== undefined);
  return PHASES.flatMap((phase) => {
    const mean = (colour: Colour) => {
      const own = judged.filter((point) => phases[point.ply] === phase && ((point.ply % 2 === 0) === whiteFirst) === (colour === 'white'));
      return own.length > 0 ? own.reduce((sum, point) => sum + (point.accuracy ?? 0), 0) / own.length : null;
    };
    const accuracy = { white: mean('white'), black: mean('black') };
    return accuracy.white === null && accuracy.black === null ? [] : { phase, accuracy };
  });
}

/** Number of moments. */
const MOMENTS = 3;

/** The half-moves that cost most, in the order of the game; none that cost less than an inaccuracy. */
export function momentsOf(points: readonly ReviewPoint[], least: number): number[] {
  return largest(
    points.map((point) => point.loss),
    MOMENTS,
    least,
  ).sort((one, other) => one - other);
}
