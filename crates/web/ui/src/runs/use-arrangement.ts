/** The reader's order of the charts, remembered by this browser. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { remember, remembered } from '../settings.ts';
import { type Arrangement, USUAL, arranged, isUsual, moved, withPin } from './chart-order.ts';
import { METRICS, type Metric } from './metrics.ts';

const KEY = 'tabiya.charts';
const NAMES = METRICS.map(({ name }) => name);

/** What the reader can do with a chart. */
export interface ChartTools {
  pinned: boolean;
  pin(): void;
  /** Null at the end of its group. */
  earlier: (() => void) | null;
  later: (() => void) | null;
}

export function useArrangement(has: (metric: Metric) => boolean) {
  const [arrangement, set] = useState<Arrangement>(() => readable(remembered<Partial<Arrangement>>(KEY, USUAL)));
  /** The button that was pressed: an element that changes its place loses the focus. */
  const pressed = useRef<HTMLElement | null>(null);
  useLayoutEffect(() => {
    pressed.current?.focus({ preventScroll: true });
    pressed.current = null;
  }, [arrangement]);
  const change = (next: Arrangement) => {
    pressed.current = document.activeElement as HTMLElement | null;
    set(next);
    remember(KEY, next);
  };
  const metrics = arranged(METRICS, arrangement).filter(has);
  const shown = metrics.map(({ name }) => name);
  const toolsOf = ({ name }: Metric): ChartTools => {
    const to = (by: 1 | -1) => {
      const next = moved(NAMES, shown, arrangement, name, by);
      return next && (() => change(next));
    };
    return { pinned: arrangement.pinned.includes(name), pin: () => change(withPin(NAMES, arrangement, name)), earlier: to(-1), later: to(1) };
  };
  return { metrics, toolsOf, reset: isUsual(arrangement) ? null : () => change(USUAL) };
}

/** What was remembered, as far as it is an arrangement. */
function readable({ pinned, order }: Partial<Arrangement>): Arrangement {
  const names = (list: unknown) => (Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []);
  return { pinned: names(pinned), order: names(order) };
}
