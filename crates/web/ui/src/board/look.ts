/** Gives the board and the pieces the chosen look, now and after each change of the settings. */

import { currentSettings, watchSettings } from '../settings.ts';

export function followLook(): void {
  // The rules of the piece set; empty for the classic one, which is in the page's own style sheet.
  const rules = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, rules];
  const show = () => {
    const { board, pieces } = currentSettings();
    document.documentElement.dataset['board'] = board;
    if (pieces === 'classic') {
      rules.replaceSync('');
      return;
    }
    // The drawings are loaded when they are first chosen; until they arrive, the previous pieces are shown.
    const use = ({ rulesOf }: typeof import('./piece-sets.ts')) => {
      if (currentSettings().pieces === pieces) rules.replaceSync(rulesOf(pieces));
    };
    import('./piece-sets.ts').then(use, () => undefined);
  };
  show();
  watchSettings(show);
}
