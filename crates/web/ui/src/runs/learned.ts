/** What a network has learned of a position so far, as a sentence. */

import { stationsOf } from '../chess/position.ts';
import { rightMoves } from '../networks/right-moves.ts';
import type { ProbeMoment } from '../server/types.ts';

/** The position of this name at a moment, as far as the log has it. */
function sightOf(moment: ProbeMoment | undefined, name: string) {
  return moment?.positions.find((position) => position.name === name);
}

/**
 * The sentence for a position at the moment `shown`: what the network plays first, and since which step without a break. Later
 * moments are not looked at, so that the sentence tells no more than the board above it.
 */
export function learnedSentence(moments: readonly ProbeMoment[], shown: number, name: string): string {
  const sight = sightOf(moments[shown], name);
  const first = sight?.moves[0]?.[0];
  if (!sight || !first) return '';
  const known = rightMoves(sight.fen);
  const firsts = moments.slice(0, shown + 1).map((moment) => sightOf(moment, name)?.moves[0]?.[0]);
  const stepAt = (index: number) => (moments[index]?.step ?? 0).toLocaleString('en');
  /** For each moment, whether its first choice is the right move, or else that of now. */
  const found = firsts.map((uci) => uci !== undefined && (known ? known.moves.includes(uci) : uci === first));
  if (found.at(-1)) {
    const since = found.lastIndexOf(false) + 1;
    return `${known ? `${known.now} ${known.what}` : `plays ${sanOf(sight.fen, first)}`} since step ${stepAt(since)}`;
  }
  const before = found.lastIndexOf(true);
  const plays = `plays ${sanOf(sight.fen, first)}`;
  return before < 0 ? `${plays}, not yet ${known?.what}` : `${plays}; ${known?.past} ${known?.what} until step ${stepAt(before)}`;
}

function sanOf(fen: string, uci: string): string {
  return stationsOf(fen, [uci])[1]?.san ?? uci;
}
