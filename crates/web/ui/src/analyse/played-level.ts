/** The rating of the people whose moves a side's moves are most like, in words. */

import type { PlayedLevel } from '../server/types.ts';

/** The name that the server gives the person in its own games. */
const PERSON = 'Human';

const rounded = (rating: number) => String(Math.round(rating / 10) * 10);

/** `1170 (810 to 1510)`; `800 (up to 1140)` and `1900 (1510 and more)` where the ratings of the networks end; empty without a level. */
export function levelText(level: PlayedLevel | null): string {
  if (!level) return '';
  const { rating, low, high } = level;
  if (low === null) return `${rounded(rating)} (up to ${rounded(high ?? rating)})`;
  return `${rounded(rating)} (${rounded(low)} ${high === null ? 'and more' : `to ${rounded(high)}`})`;
}

interface Side {
  level: PlayedLevel | null;
  /** The player's name in the headers of the game. */
  name: string | undefined;
}

/** `You played like 1170 (810 to 1510), Black like 800 (up to 1140)`; null if neither side has a level. */
export function levelsSentence(white: Side, black: Side): string | null {
  const subject = (side: Side, colour: string) => (side.name === PERSON ? 'You' : colour);
  const sides = [
    [subject(white, 'White'), levelText(white.level)],
    [subject(black, 'Black'), levelText(black.level)],
  ];
  // The reader first.
  const told = sides.filter(([, text]) => text !== '').sort(([one], [other]) => Number(other === 'You') - Number(one === 'You'));
  return told.length > 0 ? told.map(([who, text], at) => `${who} ${at === 0 ? 'played ' : ''}like ${text}`).join(', ') : null;
}
