/** Boards and piece sets, chosen by their look. */

import { useEffect, useId, useState } from 'preact/hooks';
import { type BoardColours, change, type PieceSet, useSettings } from '../settings.ts';

const BOARDS: readonly (readonly [BoardColours, string])[] = [
  ['slate', 'Slate'],
  ['walnut', 'Walnut'],
  ['sage', 'Sage'],
  ['contrast', 'Contrast'],
  ['sky', 'Sky'],
  ['plum', 'Plum'],
  ['sand', 'Sand'],
  ['rose', 'Rose'],
];

const PIECES: readonly (readonly [PieceSet, string])[] = [
  ['classic', 'Classic'],
  ['solid', 'Solid'],
  ['ivory', 'Ivory'],
  ['discs', 'Discs'],
  ['letters', 'Letters'],
  ['signs', 'Signs'],
];

export function Look() {
  const { board, pieces } = useSettings();
  const [sets, setSets] = useState<typeof import('../board/piece-sets.ts') | null>(null);
  useEffect(() => {
    import('../board/piece-sets.ts').then(setSets, () => undefined);
  }, []);
  const picture = (set: PieceSet, colour: 'white' | 'black'): Record<string, string> =>
    set === 'classic' ? {} : { 'background-image': sets ? sets.pictureOf(set, 'knight', colour) : 'none' };
  return (
    <>
      <Swatches label="Board" options={BOARDS} value={board} onChange={(chosen) => change({ board: chosen })} swatch={(one) => <span class="board-swatch" data-board={one} />} />
      <Swatches
        label="Pieces"
        options={PIECES}
        value={pieces}
        onChange={(chosen) => change({ pieces: chosen })}
        swatch={(one) => (
          <span class="piece-swatch cg-wrap">
            <piece class="knight white sample" style={picture(one, 'white')} />
            <piece class="knight black sample" style={picture(one, 'black')} />
          </span>
        )}
      />
    </>
  );
}

interface SwatchesProps<T extends string> {
  label: string;
  options: readonly (readonly [T, string])[];
  value: T;
  onChange: (value: T) => void;
  swatch: (value: T) => preact.ComponentChild;
}

/** A choice between a few options by a picture of each, with its name below. */
function Swatches<T extends string>({ label, options, value, onChange, swatch }: SwatchesProps<T>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend>{label}</legend>
      <div class="swatches">
        {options.map(([option, text]) => (
          <label key={option}>
            <input type="radio" class="sr-only" name={name} value={option} checked={option === value} onChange={() => onChange(option)} />
            <span class="swatch">
              {swatch(option)}
              {text}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
