/** A film of boards as one SVG that moves by itself: any browser plays it, without the page. */

/** Seconds that a frame is shown, and for which the last one stays. */
const FRAME_S = 0.25;
const HOLD_S = 2;

/** Size of a cell and of the parts above and below its board, in squares. */
const PITCH = 8.8;
const ABOVE = 0.9;
const BELOW = 0.9;
const TITLE = 1.2;
const MOST_COLUMNS = 4;

export interface FilmBoard {
  name: string;
  /** The squares and pieces, which do not change. */
  picture: string;
}

export interface FilmFrame {
  title: string;
  /** For each board: what lies over it, and the sentence below it. */
  boards: { over: string; sentence: string }[];
}

/** At most `most` of the moments 0 to `count` - 1, evenly, with the first and the last. */
export function chosenMoments(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, index) => index);
  return Array.from({ length: most }, (_, index) => Math.round((index * (count - 1)) / (most - 1)));
}

/** Width and height of the film, in squares. */
export function filmSize(boards: number): [number, number] {
  const columns = Math.min(boards, MOST_COLUMNS);
  return [PITCH * columns, TITLE + Math.ceil(boards / columns) * (ABOVE + 8 + BELOW)];
}

/** The content of the film. */
export function filmOf(boards: readonly FilmBoard[], frames: readonly FilmFrame[]): string {
  const [width, height] = filmSize(boards.length);
  const place = (index: number): [number, number] => [
    (index % MOST_COLUMNS) * PITCH + (PITCH - 8) / 2,
    TITLE + Math.floor(index / MOST_COLUMNS) * (ABOVE + 8 + BELOW) + ABOVE,
  ];
  const text = (x: number, y: number, size: number, said: string) => `<text x="${x.toFixed(2)}" y="${y.toFixed(2)}" font-size="${size}">${escaped(said)}</text>`;
  const on = (index: number, content: string) => {
    const [x, y] = place(index);
    return `<svg x="${x.toFixed(2)}" y="${y.toFixed(2)}" width="8" height="8" viewBox="0 0 8 8">${content}</svg>`;
  };
  const still = boards.map(({ name, picture }, index) => {
    const [x, y] = place(index);
    return text(x, y - 0.25, 0.5, name) + on(index, picture);
  });
  const moving = frames.map(({ title, boards: parts }, at) => {
    const content = parts.map(({ over, sentence }, index) => {
      const [x, y] = place(index);
      return on(index, over) + text(x, y + 8.55, 0.36, sentence);
    });
    // A program that plays nothing shows the last frame.
    const shown = at === frames.length - 1 ? '' : ' display="none"';
    return `<g${shown}>${turnOf(at, frames.length)}${text((PITCH - 8) / 2, 0.85, 0.6, title)}${content.join('')}</g>`;
  });
  return `<rect width="${width}" height="${height}" fill="#ffffff"/><g fill="#1e1c19">${still.join('')}${moving.join('')}</g>`;
}

/** Shows a frame in its turn, again and again; a single frame needs none. */
function turnOf(at: number, count: number): string {
  if (count === 1) return '';
  const whole = count * FRAME_S + HOLD_S;
  const moments = [{ time: 0, shown: at === 0 }];
  if (at > 0) moments.push({ time: at * FRAME_S, shown: true });
  if (at < count - 1) moments.push({ time: (at + 1) * FRAME_S, shown: false });
  const values = moments.map(({ shown }) => (shown ? 'inline' : 'none')).join(';');
  const times = moments.map(({ time }) => Number((time / whole).toFixed(5))).join(';');
  return `<animate attributeName="display" values="${values}" keyTimes="${times}" dur="${whole}s" calcMode="discrete" repeatCount="indefinite"/>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
