/** Keeps the current entry of a list in sight, even when the list gets less room because a result appears below it. */

import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** `list` scrolls, or something around it that has the class `scrolls`. */
export function useInSight(list: RefObject<HTMLElement | null>, changed: readonly unknown[]): void {
  useLayoutEffect(() => {
    const box = list.current?.closest<HTMLElement>('.scrolls');
    if (!box) return undefined;
    const show = () => {
      const chosen = list.current?.querySelector<HTMLElement>('[aria-current]');
      if (!chosen) return;
      const [outer, inner] = [box.getBoundingClientRect(), chosen.getBoundingClientRect()];
      if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
      box.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
    };
    show();
    const observer = new ResizeObserver(show);
    observer.observe(box);
    return () => observer.disconnect();
  }, changed);
}
