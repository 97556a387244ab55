/** A board as SVG, in squares from its upper left corner. Its pieces refer to images with ids such as `white-king`. */

import { parseFen } from 'chessops/fen';
import { makeSquare } from 'chessops/util';
import { centreOf } from '../analyse/arrow-layout.ts';
import type { Colour } from '../server/types.ts';

export interface DrawnBoard {
  fen: string;
  orientation: Colour;
  /** Tinted squares. */
  marks?: readonly { square: string; fill: string }[];
  /** True for the letters of files and the numbers of ranks, inside the squares of two edges. */
  coordinates?: boolean;
}

export function drawBoard({ fen, orientation, marks = [], coordinates = false }: DrawnBoard, { light, dark }: { light: string; dark: string }): string {
  const corner = (square: string) => {
    const [x, y] = centreOf(square, orientation);
    return `x="${x - 0.5}" y="${y - 0.5}"`;
  };
  const setup = parseFen(fen);
  const parts = [`<rect width="8" height="8" fill="${light}"/>`];
  const squares = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((row) => [0, 1, 2, 3].map((pair) => `M${2 * pair + ((row + 1) % 2)} ${row}h1v1h-1z`));
  parts.push(`<path fill="${dark}" d="${squares.join('')}"/>`);
  for (const { square, fill } of marks) parts.push(`<rect ${corner(square)} width="1" height="1" fill="${fill}"/>`);
  if (coordinates) parts.push(edgeTexts(orientation, light, dark));
  for (const [square, piece] of setup.isOk ? setup.value.board : []) parts.push(`<use href="#${piece.color}-${piece.role}" ${corner(makeSquare(square))}/>`);
  return parts.join('');
}

/** The colour of each text is that of the other squares. */
function edgeTexts(orientation: Colour, light: string, dark: string): string {
  const [files, ranks] = [[...'abcdefgh'], [...'87654321']];
  if (orientation === 'black') [files, ranks].forEach((edge) => edge.reverse());
  const text = (x: number, y: number, isDark: boolean, said: string) => `<text x="${x}" y="${y}" font-size=".19" fill="${isDark ? light : dark}">${said}</text>`;
  return [...files.map((file, column) => text(column + 0.86, 7.95, column % 2 === 0, file)), ...ranks.map((rank, row) => text(0.04, row + 0.2, row % 2 === 1, rank))].join('');
}
