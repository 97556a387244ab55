/**
 * Piece sets other than the classic one (cburnett's, from chessground's style sheet), drawn for Tabiya: pictures of 45 by 45
 * units, which become rules for the board's `piece` elements. This file is loaded only if one of them was chosen or the choice
 * is shown.
 */

import type { Colour } from '../server/types.ts';
import type { PieceSet } from '../settings.ts';

type Role = 'pawn' | 'knight' | 'bishop' | 'rook' | 'queen' | 'king';
type DrawnSet = Exclude<PieceSet, 'classic'>;

export const ROLES: readonly Role[] = ['pawn', 'knight', 'bishop', 'rook', 'queen', 'king'];

/** Outlines, and the lines inside them that tell pieces from their shadows. */
const SILHOUETTES: Record<Role, { outline: string; lines: string }> = {
  pawn: {
    outline:
      'M22.5 9a5.6 5.6 0 0 1 3.7 9.8h2.3a1.3 1.3 0 0 1 0 2.6h-2.4c.4 5 2.2 8.6 5.9 11.4V38H13v-5.2c3.7-2.8 5.5-6.4 5.9-11.4h-2.4a1.3 1.3 0 0 1 0-2.6h2.3A5.6 5.6 0 0 1 22.5 9z',
    lines: 'M14 34h17',
  },
  knight: {
    outline:
      'M13.5 38c-.4-5.8 2-9.4 5.3-12.6 1.8-1.7 2.7-3 2.6-4.6-2.2 1.2-4 1.5-5.8 2-1.3.4-1.8 1.4-2.8 2.4-1.1 1.1-2.6 1.3-3.9.5-1.7-1-2.4-2.8-1.6-4.6 1-2.2 3.2-4.8 4.4-8 .6-1.7 1.5-3.1 3-4.2L14.4 5l4.4 2.7L20.4 5l2.7 3.3C31.6 9.4 36.4 16.3 36.4 26.5c0 4.3-.5 7.9-.5 11.5z',
    lines: 'M14.5 34h20.9M16.2 13.7v.8M25.5 11.5c4.5 2.5 6.6 7.5 6.8 14',
  },
  bishop: {
    outline:
      'M22.5 5.5a2.5 2.5 0 0 1 1.7 4.3c4.2 3 6.3 6.9 6.3 10.5 0 2.8-1.2 5-3 6.5h1.2a1.3 1.3 0 0 1 0 2.6h-1.6c.4 1.5 1.5 2.7 3.7 3.8 1.5.8 2.2 2.3 2.2 4.8H12c0-2.5.7-4 2.2-4.8 2.2-1.1 3.3-2.3 3.7-3.8h-1.6a1.3 1.3 0 0 1 0-2.6h1.2c-1.8-1.5-3-3.7-3-6.5 0-3.6 2.1-7.5 6.3-10.5a2.5 2.5 0 0 1 1.7-4.3z',
    lines: 'M26.6 13.5l-3.7 6M13.5 34.5h18M18.5 26.8h8',
  },
  rook: {
    outline: 'M11.5 8.5h5.3v3.3h3V8.5h5.4v3.3h3V8.5h5.3v7.8l-3.2 2.7 1.1 11.4 3.6 3V38H10v-4.6l3.6-3L14.7 19l-3.2-2.7z',
    lines: 'M14.7 19h15.6M13.6 30.4h17.8M10.5 34.2h24',
  },
  queen: {
    outline:
      'M7.8 11.5l6 8.5 1.7-11.2 5 9.9 2-11.7 2 11.7 5-9.9L31.2 20l6-8.5-3.9 18.2c1.6.9 2.7 2.2 2.7 4V38H9v-4.3c0-1.8 1.1-3.1 2.7-4zM7.8 9.3a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8zM15.5 6.9a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8zM22.5 5.1a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8zM29.5 6.9a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8zM37.2 9.3a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8z',
    lines: 'M11.7 29.7c6.5-1.9 15.1-1.9 21.6 0M9.5 34.2c8-1.6 18-1.6 26 0',
  },
  king: {
    outline:
      'M21.1 4h2.8v2.7h2.7v2.8h-2.7v2.9c1.3.4 2.3 1.3 2.9 2.7 2-1.6 4.1-2.2 6-1.9 3.5.5 5.3 3.6 4.5 7.2-.8 3.6-3 6.2-4 9.4 1.6.8 2.7 2.1 2.7 3.9V38H9v-4.3c0-1.8 1.1-3.1 2.7-3.9-1-3.2-3.2-5.8-4-9.4-.8-3.6 1-6.7 4.5-7.2 1.9-.3 4 .3 6 1.9.6-1.4 1.6-2.3 2.9-2.7V9.5h-2.7V6.7h2.7z',
    lines: 'M22.5 27.3V20M11.7 29.8c6.5-1.9 15.1-1.9 21.6 0M9.5 34.2c8-1.6 18-1.6 26 0',
  },
};

/** Signs that show how a piece moves. */
const SIGNS: Record<Role, string> = {
  pawn: 'M22.5 15l8 14h-16z',
  knight: 'M14 9h8v18h11v8H14z',
  bishop: 'M12.5 8.5l10 10 10-10 4 4-10 10 10 10-4 4-10-10-10 10-4-4 10-10-10-10z',
  rook: 'M19 8h7v11h11v7H26v11h-7V26H8v-7h11z',
  queen: 'M22.5 6l3.3 8.5 8.4-3.7-3.7 8.4L39 22.5l-8.5 3.3 3.7 8.4-8.4-3.7L22.5 39l-3.3-8.5-8.4 3.7 3.7-8.4L6 22.5l8.5-3.3-3.7-8.4 8.4 3.7z',
  king: 'M10 10h25v25H10zM17 17v11h11V17z',
};

const LETTERS: Record<Role, string> = { pawn: 'P', knight: 'N', bishop: 'B', rook: 'R', queen: 'Q', king: 'K' };

/** A stroke below its own fill, so that the parts of a piece merge into one. */
const UNDER = 'stroke-width="2.6" stroke-linejoin="round" paint-order="stroke"';
const WHITE = '#ffffff';
const BLACK = '#222222';

/** The picture of a piece, as SVG. */
export function drawingOf(set: DrawnSet, role: Role, colour: Colour): string {
  const white = colour === 'white';
  const [fill, ink] = white ? [WHITE, BLACK] : [BLACK, WHITE];
  const { outline, lines } = SILHOUETTES[role];
  const drawn = {
    solid: () => `<path d="${outline}" fill="${white ? WHITE : '#2b2b2b'}" stroke="${white ? '#3a3a3a' : '#d8d8d8'}" ${UNDER}/>`,
    ivory: () => {
      const [body, edge] = white ? ['#f7edd8', '#6b4a2b'] : ['#5d3a22', '#1d0f06'];
      return `<path d="${outline}" fill="${body}" stroke="${edge}" ${UNDER}/><path d="${lines}" fill="none" stroke="${white ? edge : '#e0c8a8'}" stroke-width="1.4" stroke-linecap="round"/>`;
    },
    discs: () =>
      `<circle cx="22.5" cy="22.5" r="19.5" fill="${fill}" stroke="${white ? '#6a6a6a' : '#000000'}" stroke-width="1.3"/><path transform="translate(6.5 5.5) scale(.71)" d="${outline}" fill="${ink}" fill-rule="evenodd"/>`,
    letters: () =>
      `<circle cx="22.5" cy="22.5" r="18" fill="${fill}" stroke="${white ? '#6a6a6a' : '#000000'}" stroke-width="1.3"/><text x="22.5" y="31" font-family="sans-serif" font-size="24" font-weight="700" text-anchor="middle" fill="${ink}">${LETTERS[role]}</text>`,
    signs: () => `<path d="${SIGNS[role]}" fill="${fill}" fill-rule="evenodd" stroke="${white ? '#3a3a3a' : '#d8d8d8'}" stroke-width="1.3" stroke-linejoin="round"/>`,
  }[set]();
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">${drawn}</svg>`;
}

export function pictureOf(set: DrawnSet, role: Role, colour: Colour): string {
  return `url("data:image/svg+xml,${encodeURIComponent(drawingOf(set, role, colour))}")`;
}

/** The rules with which every board shows a set; samples of the sets side by side keep their own pictures. */
export function rulesOf(set: DrawnSet): string {
  const colours: Colour[] = ['white', 'black'];
  return ROLES.flatMap((role) => colours.map((colour) => `.cg-wrap piece:not(.sample).${role}.${colour}{background-image:${pictureOf(set, role, colour)}}`)).join('\n');
}
