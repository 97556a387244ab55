/** Buttons for the layers drawn on the board, and for the side whose percentages are shown. */

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
}

const TOGGLES: { layer: 'arrows' | 'heat' | 'threat'; icon: IconName; text: string; key: string }[] = [
  { layer: 'arrows', icon: 'arrows', text: 'Arrows', key: 'a' },
  { layer: 'heat', icon: 'heat', text: 'Heat', key: 'h' },
  { layer: 'threat', icon: 'threat', text: 'Threat', key: 'x' },
];

const NEXT_HEAT: Record<Heat, Heat> = { off: 'to', to: 'from', from: 'worth', worth: 'off' };
/** The quantity that the heat shows, in a few letters beside its icon. */
const HEAT_TEXTS: Record<Heat, string> = { off: '', to: 'to', from: 'from', worth: 'worth' };
export const HEAT_NAMES: Record<Heat, string> = {
  off: '',
  to: 'Heat: target squares, percent of the policy',
  from: 'Heat: pieces to move, percent of the policy',
  worth: 'Heat: pawns that each piece is worth to its side, without a search',
};

/** The layers with one of them switched; the heat goes from off to arriving, leaving and the worth of pieces. */
export function toggled(layers: Layers, layer: 'arrows' | 'heat' | 'threat'): Layers {
  if (layer !== 'heat') return { ...layers, [layer]: !layers[layer] };
  return { ...layers, heat: NEXT_HEAT[layers.heat] };
}

export function LayerButtons({ layers, onChange }: Props) {
  return (
    <div class="layer-buttons" role="group" aria-label="On the board">
      {TOGGLES.map(({ layer, icon, text, key }) => {
        const shown = layer === 'heat' ? HEAT_TEXTS[layers.heat] : '';
        return (
          <button
            key={layer}
            type="button"
            class="icon-button"
            aria-pressed={layer === 'heat' ? layers.heat !== 'off' : layers[layer]}
            aria-label={shown ? `${text} ${shown}` : text}
            title={`${text} (${key})`}
            onClick={() => onChange(toggled(layers, layer))}
          >
            <Icon name={icon} />
            <span class="layer-name">{shown || text}</span>
            {shown && <small>{shown}</small>}
          </button>
        );
      })}
      <select
        aria-label="Figure on arrows"
        title="Figure on arrows (v)"
        value={layers.label}
        onChange={(event) => onChange({ ...layers, label: event.currentTarget.value as ArrowLabel })}
      >
        <option value="visits">N</option>
        <option value="win">win %</option>
        <option value="prior">P</option>
        <option value="none">none</option>
      </select>
    </div>
  );
}
