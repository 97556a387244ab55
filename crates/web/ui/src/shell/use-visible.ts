/** Tells whether the page is in sight: it is not in a tab behind another, or in a minimized window. */

import { useLayoutEffect, useState } from 'preact/hooks';

export function useVisible(): boolean {
  const [visible, setVisible] = useState(() => !document.hidden);
  useLayoutEffect(() => {
    const update = () => setVisible(!document.hidden);
    update();
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);
  return visible;
}
