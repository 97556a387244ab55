import { Icon } from '../icons.tsx';
import { change, useSettings } from '../settings.ts';
import { playSound } from '../sounds.ts';

/** Turns sounds on or off beside the board; turning them on plays one at once. */
export function SoundButton() {
  const { sounds } = useSettings();
  const turn = () => {
    change({ sounds: !sounds });
    playSound('move');
  };
  return (
    <button type="button" class="icon-button" aria-label="Sounds" aria-pressed={sounds} title={sounds ? 'Sounds are on' : 'Sounds are off'} onClick={turn}>
      <Icon name={sounds ? 'sound' : 'mute'} />
    </button>
  );
}
