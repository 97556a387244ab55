/**
 * The best move against people of a given rating instead of against the best reply. The value of a candidate is the mean
 * of the network's values of the positions after the replies, weighted by how often people of that rating choose them.
 */

import { stationsOf, trusted } from '../chess/position.ts';
import { post } from '../server/request.ts';
import type { FirstSight, NetworkJudgement, Wdl } from '../server/types.ts';
import { percentOf } from './numbers.ts';

/** Number of moves that are compared. */
export const CANDIDATES = 6;
/** Number of replies of people that are considered, likeliest first, and the smallest share a reply may have. */
const REPLIES = 6;
const RAREST = 0.02;
/** Replies that the network likes best; if people do not play them, they count only for the best reply. */
const BEST_REPLIES = 3;
/** Earlier moves sent to the networks: more than any of them looks back. */
const HISTORY = 8;
/** Positions in one request. */
const AT_ONCE = 32;

/** A position with the moves that led to it. */
export interface Place {
  fen: string;
  moves: string[];
}

/** A reply with its share among people, and the value of the position after it for the side that moved before. */
export interface Reply {
  uci: string;
  san: string;
  share: number;
  wdl: Wdl;
}

/** A candidate, with its values for the side that plays it. */
export interface Practical {
  uci: string;
  san: string;
  /** Value against people: the weighted mean over their replies. */
  people: Wdl;
  /** Value against the reply that leaves the least. */
  best: Wdl;
  /** The reply that people play most; null without replies. */
  likeliest: { san: string; share: number } | null;
  /** The reply that leaves the least. */
  strongest: string | null;
}

/** A position with no more history than networks look at, so that requests stay small in long games. */
export function recent(start: string, moves: readonly string[]): Place {
  const from = Math.max(0, moves.length - HISTORY);
  return { fen: stationsOf(start, moves.slice(0, from)).at(-1)?.fen ?? start, moves: moves.slice(from) };
}

/** The result of a finished game for the side that made the last move; null while the game is in progress. */
export function finished(place: Place): Wdl | null {
  const position = trusted(stationsOf(place.fen, place.moves).at(-1)?.fen ?? place.fen);
  if (position.isCheckmate()) return { win: 1, draw: 0, loss: 0 };
  return position.isEnd() ? { win: 0, draw: 1, loss: 0 } : null;
}

/** The replies that are considered: those that people play, and those that the network likes best. */
export function repliesOf(people: FirstSight, network: FirstSight): { uci: string; san: string; share: number }[] {
  const share = new Map(people.moves.map((move) => [move.uci, move.prior]));
  const played = people.moves.slice(0, REPLIES).filter((move) => move.prior >= RAREST);
  const liked = network.moves.slice(0, BEST_REPLIES).filter((move) => !played.some((one) => one.uci === move.uci));
  return [...played, ...liked].map(({ uci, san }) => ({ uci, san, share: share.get(uci) ?? 0 }));
}

/** Values of a candidate, computed from its replies. */
export function practicalOf(candidate: { uci: string; san: string }, replies: readonly Reply[]): Practical {
  const sum = replies.reduce((total, reply) => total + reply.share, 0);
  const mean = (part: keyof Wdl) => replies.reduce((total, reply) => total + reply.share * reply.wdl[part], 0) / sum;
  const worst = replies.reduce((least, reply) => (percentOf(reply.wdl) < percentOf(least.wdl) ? reply : least));
  const likeliest = replies.reduce((most, reply) => (reply.share > most.share ? reply : most));
  return {
    ...candidate,
    // If people play none of these replies, nothing is known about people.
    people: sum > 0 ? { win: mean('win'), draw: mean('draw'), loss: mean('loss') } : worst.wdl,
    best: worst.wdl,
    likeliest: { san: likeliest.san, share: likeliest.share },
    strongest: worst.san,
  };
}

/** The candidates as a network values them against people, the best against people first. */
export async function againstPeople(network: string, people: string, place: Place, candidates: readonly { uci: string; san: string }[]): Promise<Practical[]> {
  const after = candidates.map(({ uci }) => ({ fen: place.fen, moves: [...place.moves, uci] }));
  const [theirs, own] = await sights([people, network], after);
  const asked: { candidate: number; uci: string; san: string; share: number; place: Place }[] = [];
  for (const [index, at] of after.entries()) {
    if (finished(at)) continue;
    const [sight, liked] = [theirs?.[index], own?.[index]];
    if (!sight || !liked) continue;
    for (const reply of repliesOf(sight, liked)) asked.push({ candidate: index, ...reply, place: { fen: at.fen, moves: [...at.moves, reply.uci] } });
  }
  const values: (FirstSight | undefined)[] = [];
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    const part = asked.slice(from, from + AT_ONCE).map((one) => one.place);
    values.push(...((await sights([network], part))[0] ?? []));
  }
  const found = candidates.flatMap((candidate, index): Practical[] => {
    const end = finished(after[index] as Place);
    if (end) return [{ ...candidate, people: end, best: end, likeliest: null, strongest: null }];
    const replies = asked.flatMap((one, at): Reply[] => {
      if (one.candidate !== index) return [];
      const { uci, san, share } = one;
      const over = finished(one.place);
      // The reply was the other side's: its win is this side's loss.
      if (over) return [{ uci, san, share, wdl: { win: over.loss, draw: over.draw, loss: over.win } }];
      const wdl = values[at]?.wdl;
      return wdl ? [{ uci, san, share, wdl: { win: wdl[0], draw: wdl[1], loss: wdl[2] } }] : [];
    });
    return replies.length > 0 ? [practicalOf(candidate, replies)] : [];
  });
  return found.sort((first, second) => percentOf(second.people) - percentOf(first.people));
}

/** First sights of positions, one list per network. */
async function sights(networks: string[], positions: Place[]): Promise<FirstSight[][]> {
  if (positions.length === 0) return networks.map(() => []);
  const answers = await post<NetworkJudgement[]>('/judgements', { networks, positions });
  const failed = answers.find((answer) => answer.problem);
  if (failed?.problem) throw new Error(failed.problem);
  return answers.map((answer) => answer.positions);
}
