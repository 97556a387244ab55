/** What the colours and figures of the arrows mean, in one line, until the reader closes it for good. */

import { useState } from 'preact/hooks';
import { type ValueUnit, remember, remembered, useSettings } from '../settings.ts';
import type { Arrow, ArrowLabel } from './arrows.tsx';
import { useAnalysis } from './store.tsx';

const KEY = 'tabiya.legend';

const FIGURES: Record<ArrowLabel, (unit: ValueUnit) => string | null> = {
  visits: () => 'figure: share of the search in % (v)',
  win: (unit) => (unit === 'pawns' ? 'figure: value in pawns (v)' : 'figure: win % (v)'),
  prior: () => 'figure: P, % at first sight (v)',
  none: () => null,
};

/** The parts of the legend for what is drawn; empty without arrows. */
export function legendOf(arrows: readonly Pick<Arrow, 'kind'>[], label: ArrowLabel, unit: ValueUnit): string {
  const has = (kind: Arrow['kind']) => arrows.some((arrow) => arrow.kind === kind);
  const searched = has('net-a');
  const parts = [
    searched && (has('net-b') ? 'blue and orange: the two networks' : 'blue: searched'),
    searched && FIGURES[label](unit),
    has('played') && 'dark: played next',
    has('better') && 'green: better',
    has('threat') && 'violet: threat',
  ];
  return parts.filter(Boolean).join(' · ');
}

export function Legend() {
  const { arrows } = useAnalysis('arrows');
  const { layers } = useAnalysis('choices');
  const { unit } = useSettings();
  const [closed, setClosed] = useState(() => remembered(KEY, { closed: false }).closed);
  const text = closed ? '' : legendOf(arrows, layers.label, unit);
  const close = () => {
    setClosed(true);
    remember(KEY, { closed: true });
  };
  return (
    <p class="why-line arrow-legend">
      {text && (
        <>
          <button type="button" class="link" aria-label="Hide the legend for good" title="Hide the legend for good" onClick={close}>
            ×
          </button>{' '}
          {text}
        </>
      )}
    </p>
  );
}
