/** Sounds made by the browser itself: no files. Off until somebody turns them on. */

import { currentSettings } from './settings.ts';

export type Sound = 'move' | 'capture' | 'check' | 'end' | 'low-time';

/** Pitch in hertz and length in seconds of each tone, one after the other. */
const TONES: Record<Sound, [number, number][]> = {
  move: [[330, 0.05]],
  capture: [[220, 0.07]],
  check: [
    [440, 0.06],
    [550, 0.06],
  ],
  end: [
    [392, 0.12],
    [330, 0.12],
    [262, 0.2],
  ],
  'low-time': [[660, 0.08]],
};

let context: AudioContext | null = null;

export function playSound(sound: Sound): void {
  if (!currentSettings().sounds) return;
  context ??= new AudioContext();
  let start = context.currentTime;
  for (const [pitch, length] of TONES[sound]) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.type = 'triangle';
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.15, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + length);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + length);
    start += length;
  }
}
