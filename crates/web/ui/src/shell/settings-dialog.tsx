import { useState } from 'preact/hooks';
import { change, currentTheme, type MovesAs, setTheme, type Theme, useSettings, type ValueUnit } from '../settings.ts';
import { Dialog } from './dialog.tsx';
import { Look } from './look.tsx';
import { PersonalGames } from './personal-games.tsx';
import { Segments } from './segments.tsx';

const THEMES: [Theme, string][] = [
  ['auto', 'Same as the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

const UNITS: [ValueUnit, string][] = [
  ['percent', 'Win percentage'],
  ['pawns', 'Pawns'],
];

const MOVES: [MovesAs, string][] = [
  ['columns', 'Two columns'],
  ['text', 'Running text'],
];

export function SettingsDialog({ onClose }: { onClose: () => void }) {
  const settings = useSettings();
  const [theme, choose] = useState(currentTheme());
  return (
    <Dialog title="Settings" onClose={onClose}>
      <div class="form">
        <Segments
          label="Theme"
          options={THEMES}
          value={theme}
          onChange={(value) => {
            choose(value);
            setTheme(value);
          }}
        />
        <Look />
        <Segments label="Values in" options={UNITS} value={settings.unit} onChange={(unit) => change({ unit })} />
        <Segments label="Moves of an analysis" options={MOVES} value={settings.moves} onChange={(moves) => change({ moves })} />
        <Check label="Sounds" on={settings.sounds} onChange={(sounds) => change({ sounds })} />
        <Check
          label="Promote to a queen automatically"
          on={settings.alwaysQueen}
          onChange={(alwaysQueen) => change({ alwaysQueen })}
        />
        <Check label="Single keys (f, u, ...)" on={settings.singleKeys} onChange={(singleKeys) => change({ singleKeys })} />
        <PersonalGames />
      </div>
    </Dialog>
  );
}

function Check({ label, on, onChange }: { label: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
