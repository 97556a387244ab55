/** The axes of parallel coordinates: the keys in which recipes differ, and a result. */

import { axisTexts } from './axis-text.ts';
import { type Row, OUTCOMES, numberOf, outcomeText } from './run-rows.ts';

export interface ParallelAxis {
  title: string;
  /** Texts beside the axis with their heights, from 0 at the bottom to 1 at the top. */
  ticks: { text: string; at: number }[];
  /** The height of a run; null if it has no value. */
  heightOf: (row: Row) => number | null;
}

/** Number of keys drawn: more are too close to follow a line. */
export const MOST_KEYS = 7;
/** A key with more texts than this names its run rather than a choice, such as a title. */
const MOST_TEXTS = 8;
/** A key whose largest value is this many times its smallest has a logarithmic axis. */
const LOGARITHMIC_FROM = 20;
/** Numbers of which each has a tick. */
const MOST_TICKS = 6;
/** Least distance of two ticks, as a share of the axis. */
const APART = 0.07;

/** Names of keys above their axes: without their tables, unless two would then have the same name. */
export function shortTitles(titles: readonly string[]): string[] {
  const last = titles.map((title) => title.split('.').at(-1) ?? title);
  return titles.map((title, index) => (last.filter((one) => one === last[index]).length > 1 ? title : (last[index] ?? title)));
}

/** The keys that are drawn, and those that are not. */
export function keysToDraw(rows: readonly Row[], keys: readonly string[]): { drawn: string[]; left: string[] } {
  const choices = keys.filter((key) => {
    const texts = new Set(rows.flatMap((row) => row.keys.get(key) ?? []));
    return texts.size > 1 && (texts.size <= MOST_TEXTS || [...texts].every((text) => numberOf(text) !== null));
  });
  const drawn = choices.slice(0, MOST_KEYS);
  return { drawn, left: keys.filter((key) => !drawn.includes(key)) };
}

/** The axis of a key: of numbers if all its values are numbers, else of texts, which are spread evenly. */
export function axisOfKey(rows: readonly Row[], key: string): ParallelAxis {
  const texts = [...new Set(rows.flatMap((row) => row.keys.get(key) ?? []))];
  const numbers = texts.map(numberOf).filter((value) => value !== null);
  if (numbers.length === texts.length) return numericAxis(key, numbers, (row) => numberOf(row.keys.get(key)), axisTexts);
  const sorted = texts.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  const place = (text: string) => (sorted.length < 2 ? 0.5 : sorted.indexOf(text) / (sorted.length - 1));
  return {
    title: key,
    ticks: sorted.map((text) => ({ text, at: place(text) })),
    heightOf: (row) => {
      const text = row.keys.get(key);
      return text === undefined ? null : place(text);
    },
  };
}

export function axisOfOutcome(rows: readonly Row[], outcome: number): ParallelAxis {
  const value = (row: Row) => row.metrics[outcome] ?? null;
  const numbers = rows.map(value).filter((one) => one !== null);
  return numericAxis(OUTCOMES[outcome]?.title ?? '', numbers, value, (values) => values.map((one) => outcomeText(outcome, one)));
}

function numericAxis(title: string, numbers: readonly number[], value: (row: Row) => number | null, texts: (values: readonly number[]) => string[]): ParallelAxis {
  const sorted = [...new Set(numbers)].sort((one, other) => one - other);
  const [least, most] = [sorted[0] ?? 0, sorted.at(-1) ?? 1];
  const scale = least > 0 && most / least >= LOGARITHMIC_FROM ? Math.log : (one: number) => one;
  const place = (one: number) => (most === least ? 0.5 : (scale(one) - scale(least)) / (scale(most) - scale(least)));
  const marked = sorted.length <= MOST_TICKS ? sorted : [least, most];
  const labels = texts(marked);
  const ticks = marked.map((one, index) => ({ text: labels[index] ?? '', at: place(one) }));
  return {
    title,
    ticks: withRoom(ticks),
    heightOf: (row) => {
      const one = value(row);
      return one === null ? null : place(one);
    },
  };
}

/** Ticks that do not touch, from the bottom up; the ends stay. */
function withRoom(ticks: ParallelAxis['ticks']): ParallelAxis['ticks'] {
  const kept: ParallelAxis['ticks'] = [];
  const top = ticks.at(-1);
  for (const tick of ticks) {
    const free = tick.at - (kept.at(-1)?.at ?? -1) >= APART && (top?.at ?? 1) - tick.at >= APART;
    if (free || tick === top || kept.length === 0) kept.push(tick);
  }
  return kept;
}

/** The best run by a result: the highest share, or the lowest loss. */
export function bestOf(rows: readonly Row[], outcome: number): string | null {
  const known = rows.filter((row) => (row.metrics[outcome] ?? null) !== null);
  const sign = OUTCOMES[outcome]?.percent ? -1 : 1;
  const sorted = [...known].sort((one, other) => sign * ((one.metrics[outcome] ?? 0) - (other.metrics[outcome] ?? 0)));
  return sorted[0]?.name ?? null;
}
