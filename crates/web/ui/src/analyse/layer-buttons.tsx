/** What is drawn on the board, and from whose side the percentages are told. */

import { Icon, type IconName } from '../icons.tsx';
import type { ArrowLabel } from './arrows.tsx';
import type { Heat } from './heat.ts';

export interface Layers {
  arrows: boolean;
  heat: Heat;
  threat: boolean;
  label: ArrowLabel;
}

interface Props {
  layers: Layers;
  onChange: (layers: Layers) => void;
  view: 'white' | 'mover';
  onView: (view: 'white' | 'mover') => void;
}

const TOGGLES: { layer: 'arrows' | 'heat' | 'threat'; icon: IconName; text: string; key: string }[] = [
  { layer: 'arrows', icon: 'arrows', text: 'Arrows', key: 'a' },
  { layer: 'heat', icon: 'heat', text: 'Heat', key: 'h' },
  { layer: 'threat', icon: 'threat', text: 'Threat', key: 'x' },
];

/** The layers with one switched; the heat goes from off to arriving to leaving. */
export function toggled(layers: Layers, layer: 'arrows' | 'heat' | 'threat'): Layers {
  if (layer !== 'heat') return { ...layers, [layer]: !layers[layer] };
  const next: Record<Heat, Heat> = { off: 'to', to: 'from', from: 'off' };
  return { ...layers, heat: next[layers.heat] };
}

export function LayerButtons({ layers, onChange, view, onView }: Props) {
  return (
    <div class="button-row layer-buttons">
      {TOGGLES.map(({ layer, icon, text, key }) => (
        <button
          key={layer}
          type="button"
          aria-pressed={layer === 'heat' ? layers.heat !== 'off' : layers[layer]}
          title={`${text} (${key})`}
          onClick={() => onChange(toggled(layers, layer))}
        >
          <Icon name={icon} /> {layer === 'heat' && layers.heat === 'from' ? 'Heat from' : text}
        </button>
      ))}
      <select
        aria-label="Figure on arrows"
        value={layers.label}
        onChange={(event) => onChange({ ...layers, label: event.currentTarget.value as ArrowLabel })}
      >
        <option value="visits">N on arrows</option>
        <option value="win">win% on arrows</option>
        <option value="prior">P on arrows</option>
        <option value="none">no figures</option>
      </select>
      <select aria-label="Percentages for" value={view} onChange={(event) => onView(event.currentTarget.value as 'white' | 'mover')}>
        <option value="white">for White</option>
        <option value="mover">for the mover</option>
      </select>
    </div>
  );
}
