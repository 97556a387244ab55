/** Values as people read them. Values on the wire are the mover's; `told` is the one place that converts them. */

import type { Colour, ReviewPoint, Score, Wdl } from '../server/types.ts';
import type { ValueUnit } from '../settings.ts';

/** The side for which values are shown: always White, or the side to move. */
export type View = 'white' | 'mover';

/** A value as the page shows it, for one side: the headline, table, bars and arrow labels all show this one. */
export interface Told {
  side: Colour;
  /** Win, draw and loss of that side. */
  wdl: Wdl;
  /** Its expected score in percent. */
  percent: number;
  /** Its score; `mate` is negative if this side is mated. */
  score: Score | null;
}

/** Converts a value of the side to move to the side that the reader chose. */
export function told(wdl: Wdl, whiteToMove: boolean, view: View, score: Score | null = null): Told {
  const mover: Colour = whiteToMove ? 'white' : 'black';
  const side: Colour = view === 'mover' ? mover : 'white';
  if (side === mover) return { side, wdl, percent: percentOf(wdl), score };
  const turned = { win: wdl.loss, draw: wdl.draw, loss: wdl.win };
  const turnedScore = score && ('mate' in score ? { mate: -score.mate } : { centipawns: -score.centipawns });
  return { side, wdl: turned, percent: percentOf(turned), score: turnedScore };
}

/** The value for White, whatever the reader chose, for displays where White has a fixed place, as beside the board. */
export function forWhite(wdl: Wdl, whiteToMove: boolean): Wdl {
  return told(wdl, whiteToMove, 'white').wdl;
}

/** The value from a review, in the form that a search reports. */
export function wdlOf(point: ReviewPoint): Wdl {
  const [win = 0, draw = 0, loss = 0] = point.white_wdl;
  return { win, draw, loss };
}

/** The same value from the side that the reader chose. */
export function toldOf(point: ReviewPoint, whiteToMove: boolean, view: View): Told {
  return told(forWhite(wdlOf(point), whiteToMove), whiteToMove, view);
}

export function nameOf(side: Colour): string {
  return side === 'white' ? 'White' : 'Black';
}

/** Expected score in percent. */
export function percentOf(wdl: Wdl): number {
  return 100 * (wdl.win + wdl.draw / 2);
}

/** Whole percentages that add up to 100 (largest remainder). */
export function wholePercents(wdl: Wdl): [number, number, number] {
  const exact = [wdl.win, wdl.draw, wdl.loss].map((share) => share * 100);
  const whole = exact.map(Math.floor);
  const order = [0, 1, 2].sort((a, b) => (exact[b] ?? 0) - (whole[b] ?? 0) - (exact[a] ?? 0) + (whole[a] ?? 0));
  let rest = 100 - whole.reduce((sum, part) => sum + part, 0);
  for (const index of order) {
    if (rest <= 0) break;
    whole[index] = (whole[index] ?? 0) + 1;
    rest -= 1;
  }
  return whole as [number, number, number];
}

/** `mate in 3`, the win percentage with one decimal, or the equivalent in pawns: `≈+0.58`. */
export function valueText(score: Score | null, percent: number | null, unit: ValueUnit = 'percent'): string {
  if (score && 'mate' in score) return score.mate > 0 ? `mate in ${score.mate}` : `mated in ${-score.mate}`;
  if (percent === null) return '';
  return unit === 'pawns' ? `≈${signedPawns(percent, 2)}` : percent.toFixed(1);
}

/** A value in its unit, such as `57.2 %`. */
export function toldText(value: Told, unit: ValueUnit): string {
  const text = valueText(value.score, value.percent, unit);
  return /^[\d.]+$/.test(text) ? `${text} %` : text;
}

/** A value in the three or four characters that fit on an arrow label: `57`, `-1.2`, `#3`. */
export function shortText({ score, percent }: Told, unit: ValueUnit): string {
  if (score && 'mate' in score) return `${score.mate < 0 ? '-' : ''}#${Math.abs(score.mate)}`;
  if (unit === 'percent') return String(Math.round(percent));
  const text = signedPawns(percent, 1);
  return Math.abs(Number(text)) >= 10 ? signedPawns(percent, 0) : text;
}

/** Steepness of Lichess's curve from pawns to win percentage (scalachess: core/src/main/scala/eval.scala), for one pawn. */
export const PAWN_STEEPNESS = 0.368208;
const MOST_PAWNS = 10;

/** The pawns for a win percentage on Lichess's curve, at most ten: beyond that, the curve says nothing. */
export function pawnsOf(percent: number): number {
  const pawns = Math.log(percent / (100 - percent)) / PAWN_STEEPNESS;
  return Math.max(-MOST_PAWNS, Math.min(MOST_PAWNS, pawns));
}

/** `+0.58`; level is `0.00`, without a sign. */
export function signedPawns(percent: number, digits: number): string {
  const text = pawnsOf(percent).toFixed(digits);
  const level = Number(text) === 0;
  return level ? text.replace('-', '') : text.startsWith('-') ? text : `+${text}`;
}

/** Pawns in a column whose head names the unit: at most five characters. */
export function columnPawns(percent: number): string {
  return signedPawns(percent, Math.abs(pawnsOf(percent)) < 9.995 ? 2 : 0);
}

/** `1 node`, `12,840 nodes`: a count with its noun. */
export function plural(count: number, noun: string): string {
  return `${countText(count)} ${nounFor(count, noun)}`;
}

/** The noun after a count, for counts that are formatted differently or have an element of their own. */
export function nounFor(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}

/** A line with move numbers: `26. Rag1`, `Kh8`, `27. h4`; a first move by Black has `26...`. `gap` follows a number. */
export function numbered(sans: readonly string[], fen: string, gap = ' '): string[] {
  const [, turn, , , , from] = fen.split(' ');
  const offset = turn === 'b' ? 1 : 0;
  return sans.map((san, index) => {
    const number = Number(from ?? 1) + Math.floor((index + offset) / 2);
    if ((index + offset) % 2 === 0) return `${number}.${gap}${san}`;
    return index === 0 ? `${number}...${gap}${san}` : san;
  });
}

/** 12,840; 1.20M from a million on. */
export function countText(count: number): string {
  if (count >= 1e6) return `${(count / 1e6).toFixed(2)}M`;
  return Math.round(count).toLocaleString('en');
}

/** 980, 13.1k, 140k, 1.2M: at most five characters, so that it takes the same room on fast and slow machines. */
export function rateText(rate: number): string {
  const digits = (share: number) => share.toFixed(share < 99.95 ? 1 : 0);
  if (rate >= 999_500) return `${digits(rate / 1e6)}M`;
  return rate >= 999.5 ? `${digits(rate / 1000)}k` : String(Math.round(rate));
}

/** A count in at most as many characters: 9,840; 13.1k from ten thousand up. */
export function shortCount(count: number): string {
  return count < 10_000 ? countText(count) : rateText(count);
}

/**
 * Arrow widths in 64ths of a square. A share of visits gets the smallest one that is at least the widest times its square
 * root.
 */
const ARROW_WIDTHS = [3, 4, 5, 6, 8, 10];
const WIDEST_ARROW = 10;

export function arrowWidth(share: number): number {
  const wanted = WIDEST_ARROW * Math.sqrt(Math.max(0, Math.min(1, share)));
  return (ARROW_WIDTHS.find((width) => width >= wanted) ?? WIDEST_ARROW) / 64;
}

/** Opacity of an arrow by the loss of its move against the best move, in points of win percentage. */
export function arrowOpacity(loss: number): number {
  if (loss < 2) return 1;
  return loss < 4 ? 0.75 : 0.5;
}

/** Difference between two policies: Kullback-Leibler divergence in nats over the moves that both know. */
export function divergence(first: Map<string, number>, second: Map<string, number>): number {
  let sum = 0;
  for (const [move, p] of first) {
    const q = second.get(move) ?? 0;
    if (p > 0) sum += p * Math.log(p / Math.max(q, 1e-9));
  }
  return Math.max(0, sum);
}
