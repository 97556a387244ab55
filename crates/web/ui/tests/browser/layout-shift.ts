/** Unexpected layout shifts of a page (Layout Instability, WICG). */

import { type Page } from 'playwright-core';

export interface Shift {
  /** Impact fraction times distance fraction. */
  value: number;
  /** True if a person had just done something, which excuses the shift. */
  afterInput: boolean;
  /** True if rows of the moves of a search changed places with each other: their order is a result of the search. */
  reordered: boolean;
  /** The elements that moved, with both places, in CSS pixels. */
  moved: string[];
}

/** Milliseconds to wait for further shifts. */
const WAIT_MS = 300;

/** The shifts since the page was loaded. */
export function layoutShifts(page: Page): Promise<Shift[]> {
  return page.evaluate(
    (wait) =>
      new Promise<Shift[]>((resolve) => {
        type Entry = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[] };
        const shifts: Shift[] = [];
        const nameOf = (node: Node | null): string => (node instanceof Element ? (node.getAttribute('class') ?? node.tagName) : (node?.textContent ?? 'something gone'));
        const place = ({ x, y, width, height }: DOMRect): string => `${x},${y} ${width}x${height}`;
        new PerformanceObserver((list) => {
          for (const { startTime, value, hadRecentInput, sources } of list.getEntries() as Entry[]) {
            const moved = sources.map(({ node, previousRect, currentRect }) => `${Math.round(startTime)} ms: ${nameOf(node)} ${place(previousRect)} to ${place(currentRect)}`);
            const ways = new Set(sources.filter(({ node }) => node instanceof Element && node.matches('.move-table tr')).map(({ previousRect, currentRect }) => Math.sign(currentRect.y - previousRect.y)));
            const reordered = ways.has(1) && ways.has(-1);
            shifts.push({ value, afterInput: hadRecentInput, reordered, moved });
          }
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(shifts), wait);
      }),
    WAIT_MS,
  );
}

export function totalOf(shifts: Shift[]): number {
  return shifts.reduce((sum, { value }) => sum + value, 0);
}
