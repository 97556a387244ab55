/** The page's own icons: 20 px grid, round strokes of 1.5 px, in the colour of the text. */

const PATHS = {
  first: 'M5 4v12M15 4l-7 6 7 6',
  previous: 'M13 4l-7 6 7 6',
  next: 'M7 4l7 6-7 6',
  last: 'M15 4v12M5 4l7 6-7 6',
  flip: 'M6.5 17V3.5L3 7M6.5 3.5L10 7M13.5 3v13.5L17 13M13.5 16.5L10 13',
  undo: 'M4 8h8a4 4 0 0 1 0 8H8M7.5 4.5L4 8l3.5 3.5',
  hint: 'M7 12a4.5 4.5 0 1 1 6 0c-.7.7-1 1.3-1 2H8c0-.7-.3-1.3-1-2zM8.5 17h3',
  resign: 'M5 17V3h9l-2 3.5L14 10H5',
  draw: 'M10 3a7 7 0 0 0 0 14zM10 3a7 7 0 0 1 0 14',
  play: 'M6 4l10 6-10 6z',
  pause: 'M7 4v12M13 4v12',
  plus: 'M10 4v12M4 10h12',
  close: 'M5 5l10 10M15 5L5 15',
  menu: 'M4 6h12M4 10h12M4 14h12',
  gear: 'M8.5 2.5h3l.5 2.1 1.6.9 2-.6 1.5 2.6L15.6 9v2l1.5 1.5-1.5 2.6-2-.6-1.6.9-.5 2.1h-3L8 15.4l-1.6-.9-2 .6-1.5-2.6L4.4 11V9L2.9 7.5l1.5-2.6 2 .6L8 4.6zM10 7.4a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2z',
  theme: 'M10 3a7 7 0 1 0 7 7 5.5 5.5 0 0 1-7-7z',
  arrows: 'M4 16L16 4M9 4h7v7',
  heat: 'M4 4h5v5H4zM11 4h5v5h-5zM4 11h5v5H4zM11 11h5v5h-5z',
  threat: 'M2.5 10S5.5 5 10 5s7.5 5 7.5 5-3 5-7.5 5-7.5-5-7.5-5zM10 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  tree: 'M10 3v4M10 7L5 12v4M10 7l5 5v4M10 7v9',
  graph: 'M3 16V4M3 16h14M5 13l4-5 3 3 5-6',
  import: 'M10 3v9M6 8.5l4 4 4-4M4 16h12',
  export: 'M10 13V3.5M6 7l4-4 4 4M4 16h12',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  editor: 'M4 16l1-4 8.5-8.5 3 3L8 15z',
  review: 'M8.5 3.5a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12.2 12.2L17 17',
  check: 'M4 10.5l4 4 8-9',
  warning: 'M10 3l8 14H2zM10 8v4M10 14.5v.1',
  sound: 'M3 8v4h3l4 3.5v-11L6 8zM13 7.5a3.5 3.5 0 0 1 0 5M15 5a7 7 0 0 1 0 10',
  mute: 'M3 8v4h3l4 3.5v-11L6 8zM13 8l4 4M17 8l-4 4',
  keys: 'M3 6h14v9H3zM6 9h.1M10 9h.1M14 9h.1M6.5 12h7',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d={PATHS[name]} fill={name === 'draw' ? 'currentColor' : 'none'} fill-opacity="0.35" />
    </svg>
  );
}
