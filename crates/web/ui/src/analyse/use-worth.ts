/**
 * Worth of each piece to its side, from the network's value without search: the piece is removed, and the change of its owner's
 * value is its worth (occlusion), in pawns. The change of the expected score itself would end at 0: in a level position a knight
 * would be worth a queen. Kings stay, and so does a piece whose absence would leave an illegal position.
 */

import { Chess } from 'chessops/chess';
import { makeFen, parseFen } from 'chessops/fen';
import { makeSquare } from 'chessops/util';
import { useEffect, useState } from 'preact/hooks';
import { explain, post } from '../server/request.ts';
import type { FirstSight, NetworkJudgement } from '../server/types.ts';
import { PAWN_STEEPNESS } from './numbers.ts';

/** Maximum number of positions that the server judges in one request. */
const MOST_POSITIONS = 32;

/** Expected scores nearer to 0 or 1 are decided games, which a network does not tell apart. */
const DECIDED = 0.0005;

export interface Absence {
  square: string;
  owner: 'white' | 'black';
  fen: string;
}

/** The positions that result from removing each piece in turn. */
export function absences(fen: string): Absence[] {
  const setup = parseFen(fen);
  if (setup.isErr) return [];
  return [...setup.value.board].flatMap(([square, piece]) => {
    if (piece.role === 'king') return [];
    const without = parseFen(fen).unwrap();
    without.board.take(square);
    without.castlingRights = without.castlingRights.without(square);
    without.epSquare = undefined;
    const legal = Chess.fromSetup(without);
    // A network cannot be asked about a position in which the side that just moved is in check, or the game is over.
    if (legal.isErr || legal.value.isEnd()) return [];
    return [{ square: makeSquare(square), owner: piece.color, fen: makeFen(without) }];
  });
}

/** Pawns that each piece is worth to its owner, by square. */
export function worths(fen: string, parts: readonly Absence[], sights: readonly FirstSight[]): Map<string, number> {
  const white = (position: string, sight: FirstSight | undefined) => {
    if (!sight?.wdl) return null;
    const [win, draw] = sight.wdl;
    const own = Math.min(1 - DECIDED, Math.max(DECIDED, win + draw / 2));
    const pawns = Math.log(own / (1 - own)) / PAWN_STEEPNESS;
    return position.split(' ')[1] === 'w' ? pawns : -pawns;
  };
  const whole = white(fen, sights[0]);
  const found = new Map<string, number>();
  if (whole === null) return found;
  for (const [index, part] of parts.entries()) {
    const rest = white(part.fen, sights[index + 1]);
    if (rest !== null) found.set(part.square, part.owner === 'white' ? whole - rest : rest - whole);
  }
  return found;
}

/** The worths in a position; empty while they are being requested, or if they are not wanted. */
export function useWorth(wanted: boolean, network: string, fen: string): { worth: Map<string, number>; problem: string | null } {
  const [state, setState] = useState<{ key: string; worth: Map<string, number>; problem: string | null }>({ key: '', worth: new Map(), problem: null });
  const key = `${network} ${fen}`;
  useEffect(() => {
    if (!wanted || !network) return undefined;
    let replaced = false;
    const parts = absences(fen).slice(0, MOST_POSITIONS - 1);
    const positions = [fen, ...parts.map((part) => part.fen)].map((one) => ({ fen: one, moves: [] }));
    post<NetworkJudgement[]>('/judgements', { networks: [network], positions }).then(
      ([answer]) => {
        if (replaced) return;
        setState({ key, worth: worths(fen, parts, answer?.positions ?? []), problem: answer?.problem ?? (answer?.has_value === false ? 'This network has no value.' : null) });
      },
      (error: unknown) => {
        if (!replaced) setState({ key, worth: new Map(), problem: explain(error) });
      },
    );
    return () => {
      replaced = true;
    };
  }, [wanted, key]);
  const current = wanted && state.key === key;
  return { worth: current ? state.worth : NOTHING, problem: current ? state.problem : null };
}

const NOTHING = new Map<string, number>();
