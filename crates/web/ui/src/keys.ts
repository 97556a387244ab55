/** Single keys of a screen. Text fields keep their keys, and settings can turn all of them off. */

import { useLayoutEffect, useRef } from 'preact/hooks';
import { currentSettings } from './settings.ts';

export type KeyMap = Record<string, () => void>;

/**
 * `Shift+ArrowLeft`, `f`, `?`: letters stand for themselves, so `Shift` is named only if the key has no case. The character
 * of a shifted digit depends on the keyboard, so the key is named as in `Shift+Digit4`; if no action has that name, the
 * character is used.
 */
export function nameOfKey(event: KeyboardEvent): string {
  if (event.shiftKey && /^Digit\d$/.test(event.code)) return `Shift+${event.code}`;
  return event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
}

const KEEPS_KEYS = 'input, textarea, select, [role=slider], [role=tree], dialog *';

/** The board moves its focus with arrows and presses with Enter. The letters that it knows never come here. */
const KEEPS_ARROWS = '[role=grid]';

/** Fields in which letters mean nothing, so that a slider just moved does not swallow them. */
const KNOWS_NO_LETTERS = 'input[type=range], input[type=radio], input[type=checkbox]';

export function useKeys(keys: KeyMap): void {
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    const handle = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
      const target = event.target as Element;
      const isLetter = event.key.length === 1;
      if (target.closest(KEEPS_KEYS) && !(isLetter && target.matches(KNOWS_NO_LETTERS))) return;
      if (target.closest(KEEPS_ARROWS) && (!isLetter || event.key === ' ')) return;
      if (isLetter && !currentSettings().singleKeys) return;
      // Enter and Space press the button that has the focus.
      if ((event.key === 'Enter' || event.key === ' ') && target.closest('button, a, summary')) return;
      const action = latest.current[nameOfKey(event)] ?? latest.current[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', handle);
    return () => removeEventListener('keydown', handle);
  }, []);
}
