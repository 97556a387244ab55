/** Tabs as an underlined row. Each is reached with Tab: the arrow keys belong to the game on the board. */

interface Props<T extends string> {
  label: string;
  tabs: readonly (readonly [T, string])[];
  value: T;
  onChange: (value: T) => void;
  /** The element whose content the tabs choose. */
  controls: string;
}

export function Tabs<T extends string>({ label, tabs, value, onChange, controls }: Props<T>) {
  return (
    <div class="tabs" role="tablist" aria-label={label}>
      {tabs.map(([tab, text]) => (
        <button key={tab} type="button" role="tab" aria-selected={tab === value} aria-controls={controls} onClick={() => onChange(tab)}>
          {text}
        </button>
      ))}
    </div>
  );
}
