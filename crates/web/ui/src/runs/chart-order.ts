/** The order in which the reader wants the charts, and which of them are pinned before the others. */

export interface Arrangement {
  /** Names of the pinned charts, in their order. */
  pinned: string[];
  /** Names of the other charts as far as the reader moved some; those not named follow in their usual order. */
  order: string[];
}

export const USUAL: Arrangement = { pinned: [], order: [] };

export function isUsual({ pinned, order }: Arrangement): boolean {
  return pinned.length + order.length === 0;
}

/** The charts in the reader's order. Names of an older or newer version of the page, which has other charts, are passed over. */
export function arranged<T extends { name: string }>(charts: readonly T[], { pinned, order }: Arrangement): T[] {
  const wanted = [...new Set([...pinned, ...order])].flatMap((name) => charts.find((chart) => chart.name === name) ?? []);
  return [...wanted, ...charts.filter((chart) => !wanted.includes(chart))];
}

/** The arrangement with a chart pinned after the pinned ones, or no longer pinned and then the first of the others. */
export function withPin(names: readonly string[], arrangement: Arrangement, name: string): Arrangement {
  const pinned = arrangement.pinned.filter((one) => one !== name);
  if (pinned.length < arrangement.pinned.length) return { pinned, order: [name, ...othersOf(names, arrangement)] };
  return { pinned: [...pinned, name], order: arrangement.order.filter((one) => one !== name) };
}

/** The charts that are not pinned, all of them. */
function othersOf(names: readonly string[], arrangement: Arrangement): string[] {
  const all = arranged(names.map((name) => ({ name })), arrangement).map(({ name }) => name);
  return all.filter((name) => !arrangement.pinned.includes(name));
}

/**
 * The arrangement with a chart moved before or after its neighbour among those shown: a run has some of the charts only, and a
 * move past one that is not there would seem to do nothing. Pinned charts move among pinned ones. Null if there is no neighbour.
 */
export function moved(names: readonly string[], shown: readonly string[], arrangement: Arrangement, name: string, by: 1 | -1): Arrangement | null {
  const isPinned = arrangement.pinned.includes(name);
  const group = isPinned ? arrangement.pinned : othersOf(names, arrangement);
  const seen = group.filter((one) => shown.includes(one));
  const neighbour = seen[seen.indexOf(name) + by];
  if (!seen.includes(name) || neighbour === undefined) return null;
  const rest = group.filter((one) => one !== name);
  const place = rest.indexOf(neighbour) + (by > 0 ? 1 : 0);
  const now = [...rest.slice(0, place), name, ...rest.slice(place)];
  return isPinned ? { ...arrangement, pinned: now } : { ...arrangement, order: now };
}
