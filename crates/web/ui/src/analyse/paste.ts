/** Text pasted anywhere on the page goes to the analysis board; text that it cannot read opens its import dialog. */

import { go } from '../route.ts';

const PASTED = 'tabiya:pasted';

/** Text pasted while there was no board; the next board takes it. */
let pasted: string | null = null;

/** Fields keep what is pasted into them. */
const FIELDS = 'input, textarea, select, [contenteditable], dialog *';

/** Listens for pastes until the returned function is called. */
export function takePastes(): () => void {
  const paste = (event: ClipboardEvent) => {
    if ((event.target as Element | null)?.closest?.(FIELDS)) return;
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!text.trim()) return;
    event.preventDefault();
    pasted = text;
    if (location.pathname.startsWith('/analyse')) dispatchEvent(new Event(PASTED));
    else go('/analyse');
  };
  addEventListener('paste', paste);
  return () => removeEventListener('paste', paste);
}

/** Calls back with each pasted text, including one that waited for the board. */
export function onPasted(take: (text: string) => void): () => void {
  const look = () => {
    const text = pasted;
    pasted = null;
    if (text) take(text);
  };
  look();
  addEventListener(PASTED, look);
  return () => removeEventListener(PASTED, look);
}
