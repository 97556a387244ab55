/** Gives board and pieces the look that was chosen, now and after each change of the settings. */

import { currentSettings, watchSettings } from '../settings.ts';

export function followLook(): void {
  // The rules of the piece set; empty for the classic one, which is in the page's own style.
  const rules = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, rules];
  const show = () => {
    const { board, pieces } = currentSettings();
    document.documentElement.dataset['board'] = board;
    if (pieces === 'classic') {
      rules.replaceSync('');
      return;
    }
    // Drawings come with the first choice of them; until they are here, those of before are shown.
    const use = ({ rulesOf }: typeof import('./piece-sets.ts')) => {
      if (currentSettings().pieces === pieces) rules.replaceSync(rulesOf(pieces));
    };
    import('./piece-sets.ts').then(use, () => undefined);
  };
  show();
  watchSettings(show);
}
