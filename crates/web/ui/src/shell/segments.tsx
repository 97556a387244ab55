/** A choice between a few options, all of them visible. */

import { useId } from 'preact/hooks';

interface Props<T extends string> {
  label: string;
  options: readonly (readonly [T, string])[];
  value: T;
  onChange: (value: T) => void;
  hideLabel?: boolean;
}

export function Segments<T extends string>({ label, options, value, onChange, hideLabel }: Props<T>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class={hideLabel ? 'sr-only' : undefined}>{label}</legend>
      <div class="segments-row">
        {options.map(([option, text]) => (
          <label key={option}>
            <input
              type="radio"
              class="sr-only"
              name={name}
              value={option}
              checked={option === value}
              onChange={() => onChange(option)}
            />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
