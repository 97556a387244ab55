/** Boards as pictures that need nothing of the page: SVG in the reader's colours and pieces, and PNG made of it. */

import { type ComponentChild, render } from 'preact';
import type { Colour } from '../server/types.ts';
import { drawBoard } from './draw.ts';

/** Sides of a saved board, in pixels. */
const SIDE = 1024;

/** The rules with which the page draws arrows, their figures and glyphs. */
const OF_ARROWS = /^(line)?\.(net-|played|better|threat|arrow|board-badge|heat-)/;

/** What a picture takes from the page. */
export interface Look {
  light: string;
  dark: string;
  /** The pieces as images to refer to, and the rules for arrows. */
  shared: string;
}

export function currentLook(): Look {
  const { light, dark } = squareColours();
  return { light, dark, shared: `<style>${arrowRules()}</style><defs>${pieceImages()}</defs>` };
}

function squareColours() {
  const styles = getComputedStyle(document.documentElement);
  return { light: styles.getPropertyValue('--square-light').trim(), dark: styles.getPropertyValue('--square-dark').trim() };
}

function arrowRules(): string {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules
    .filter((rule): rule is CSSStyleRule => rule instanceof CSSStyleRule && OF_ARROWS.test(rule.selectorText))
    .map((rule) => escaped(rule.cssText))
    .join('\n');
}

/** The pieces that boards show now, whichever set was chosen: they are the backgrounds of elements. */
function pieceImages(): string {
  const host = document.createElement('div');
  host.className = 'cg-wrap sr-only';
  document.body.append(host);
  const images = (['white', 'black'] as const).flatMap((colour) =>
    ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'].map((role) => {
      const piece = document.createElement('piece');
      piece.className = `${role} ${colour}`;
      host.append(piece);
      const [, address = ''] = /^url\(["']?(.*?)["']?\)$/s.exec(getComputedStyle(piece).backgroundImage) ?? [];
      return `<image id="${colour}-${role}" width="1" height="1" href="${escaped(address)}"/>`;
    }),
  );
  host.remove();
  return images.join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** A component of SVG as text. */
export function drawn(children: ComponentChild): string {
  const host = document.createElement('div');
  render(children, host);
  const text = textOf(host.firstElementChild);
  render(null, host);
  return text;
}

function textOf(element: Element | null): string {
  return element ? new XMLSerializer().serializeToString(element) : '';
}

/** A document of its own, with lengths in squares. */
export function standalone([width, height]: readonly [number, number], content: string, { shared }: Look, scale: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width * scale}" height="${height * scale}" font-family="system-ui, sans-serif">${shared}${content}</svg>`;
}

/** The large board of the page as it is: its position, marked squares, and arrows of engines and people. */
export function pictureOfBoard(fen: string, orientation: Colour): string {
  const look = currentLook();
  const board = document.querySelector('.board-squares');
  const marks = [...(board?.querySelectorAll<HTMLElement>('cg-board square') ?? [])]
    .filter((square) => square.style.display !== 'none')
    .map((square) => ({ square: (square as HTMLElement & { cgKey: string }).cgKey, fill: getComputedStyle(square).backgroundColor }));
  const layers = ['.cg-shapes', '.arrow-layer'].map((layer) => textOf(board?.querySelector(layer) ?? null));
  return standalone([8, 8], drawBoard({ fen, orientation, marks, coordinates: true }, look) + layers.join(''), look, SIDE / 8);
}

/** A picture in the form that other programs take. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [SIDE, SIDE];
  canvas.getContext('2d')?.drawImage(image, 0, 0, SIDE, SIDE);
  return await new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser could not draw the picture.'))));
  });
}
