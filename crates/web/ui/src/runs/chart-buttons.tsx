/** The buttons of a chart: pinned before the others, moved among its group, saved as a picture. */

import { Icon } from '../icons.tsx';
import type { ChartTools } from './use-arrangement.ts';

export function ChartButtons({ name, tools, onSave }: { name: string; tools: ChartTools; onSave: () => void }) {
  return (
    <div class="chart-buttons">
      <button type="button" class="link" aria-label={`Move ${name} earlier`} title="Earlier" aria-disabled={!tools.earlier} onClick={tools.earlier ?? undefined}>
        <Icon name="previous" />
      </button>
      <button type="button" class="link" aria-label={`Move ${name} later`} title="Later" aria-disabled={!tools.later} onClick={tools.later ?? undefined}>
        <Icon name="next" />
      </button>
      <button type="button" class="link" aria-label={`Pin ${name}`} title="Pinned charts come first" aria-pressed={tools.pinned} onClick={tools.pin}>
        Pin
      </button>
      <button type="button" class="link" onClick={onSave} aria-label={`PNG of ${name}`}>
        PNG
      </button>
    </div>
  );
}
