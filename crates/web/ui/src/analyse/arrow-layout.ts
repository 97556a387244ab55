/** Geometry of arrows and their labels, in squares from the upper left corner of the board. */

import type { Colour } from '../server/types.ts';

export interface Arrow {
  id: string;
  uci: string;
  /** Networks' moves are wide and labelled; played, better and threatened ones are single strokes. */
  kind: 'net-a' | 'net-b' | 'played' | 'threat' | 'better';
  width: number;
  opacity: number;
  label: string;
  /** True if the share of the visits is so small that a shaft would overstate it. */
  faint?: boolean;
}

export interface Shaft {
  arrow: Arrow;
  from: Point;
  /** End of the shaft and base of the head. */
  neck: Point;
  tip: Point;
  /** Direction from the first square to the last. */
  along: Point;
  /** Length of the head, and half its width. */
  head: number;
  half: number;
  /** Distance from the centre of the first square to the centre of the last. */
  length: number;
  /** True for a disc on the target square instead of a shaft and a head. */
  dot: boolean;
}

export interface Label {
  arrow: Arrow;
  at: Point;
}

export type Point = readonly [number, number];

/** Radius of the disc under a label, and how many times as large it is for three characters and more, such as `100`. */
export const DISC = 0.15;
const LONG_LABEL = 1.25;
/** Longest head. */
const LONGEST_HEAD = 0.28;
/** Distance between the tip and the centre of the square it points at. */
const TIP_GAP = 0.06;
/** Arrows of two networks that want the same move are each offset this far. */
const BESIDE = 0.09;
/** Offset of a stroke beside a network's arrow of the same move. */
const STROKE_BESIDE = 0.2;
/** A label is placed this far behind the tip, so that the head stays visible. */
const LABEL_BACK = 0.38;
/** A shorter move goes to an adjacent square. */
const ADJACENT = 1.5;
/** Smallest gap between two labels. */
const GAP = 0.01;
/** Radius of the glyph of a move. */
export const BADGE = 0.2;

export function isNetwork(arrow: Arrow): boolean {
  return arrow.kind === 'net-a' || arrow.kind === 'net-b';
}

export function shaftOf(arrow: Arrow, arrows: readonly Arrow[], orientation: Colour): Shaft {
  const start = centreOf(arrow.uci.slice(0, 2), orientation);
  const end = centreOf(arrow.uci.slice(2, 4), orientation);
  const length = Math.hypot(end[0] - start[0], end[1] - start[1]) || 1;
  const along: Point = [(end[0] - start[0]) / length, (end[1] - start[1]) / length];
  const aside = besideOf(arrow, arrows);
  const origin: Point = [start[0] - along[1] * aside, start[1] + along[0] * aside];
  const at = (distance: number): Point => [origin[0] + along[0] * distance, origin[1] + along[1] * distance];
  const head = isNetwork(arrow) ? Math.min(LONGEST_HEAD, 0.18 + arrow.width / 2) : 0.2;
  const half = isNetwork(arrow) ? Math.min(LONGEST_HEAD, arrow.width + 0.12) / 2 : 0.1;
  const tip = length - TIP_GAP;
  // An arrow to an adjacent square begins at the centre of its own square; otherwise no shaft would be visible.
  const begin = length < ADJACENT ? 0 : 0.3;
  return { dot: isNetwork(arrow) && (arrow.faint === true || isUnderLonger(arrow, arrows)), arrow, from: at(begin), neck: at(tip - head), tip: at(tip), along, head, half, length };
}

/** True if a longer move of the same piece goes along the same line: two shafts on top of each other would look like one. */
function isUnderLonger(arrow: Arrow, arrows: readonly Arrow[]): boolean {
  const [x, y] = stepsOf(arrow);
  return arrows.some((other) => {
    if (other === arrow || other.kind !== arrow.kind || other.uci.slice(0, 2) !== arrow.uci.slice(0, 2)) return false;
    const [otherX, otherY] = stepsOf(other);
    const sameWay = x * otherY === y * otherX && x * otherX + y * otherY > 0;
    return sameWay && Math.hypot(otherX, otherY) > Math.hypot(x, y) && other.faint !== true;
  });
}

/** Files and ranks from the first square to the last. */
function stepsOf({ uci }: Arrow): Point {
  const [from, to] = [centreOf(uci.slice(0, 2), 'white'), centreOf(uci.slice(2, 4), 'white')];
  return [to[0] - from[0], to[1] - from[1]];
}

/** Two networks that want the same move get their arrows side by side. */
function besideOf(arrow: Arrow, arrows: readonly Arrow[]): number {
  if (!isNetwork(arrow)) return arrows.some((other) => other.uci === arrow.uci && isNetwork(other)) ? STROKE_BESIDE : 0;
  const twin = arrows.some((other) => other.uci === arrow.uci && other.kind !== arrow.kind && isNetwork(other));
  if (!twin) return 0;
  return arrow.kind === 'net-a' ? -BESIDE : BESIDE;
}

/** Radius of the disc under this label. */
export function discOf(label: string): number {
  return label.length > 2 ? LONG_LABEL * DISC : DISC;
}

/**
 * Labels near the heads of their arrows, `scale` times as large. If two would touch, or one would touch the glyph of the move, the one
 * drawn below moves back along its own shaft. A label that finds no place is left out, because a half-covered figure misleads.
 */
export function labelsOf(shafts: readonly Shaft[], { scale = 1, badge = null }: { scale?: number; badge?: Point | null } = {}): Label[] {
  const placed: Label[] = [];
  for (const { arrow, tip, along, length, dot } of [...shafts].reverse()) {
    if (!arrow.label) continue;
    const disc = scale * discOf(arrow.label);
    const touches = (at: Point, other: Point, radius: number) => Math.hypot(other[0] - at[0], other[1] - at[1]) < radius + disc + GAP;
    // On a small board the label of a step would be on the piece itself, and those of all its steps in one heap.
    const onTarget = dot || (scale > 1 && length < ADJACENT);
    for (let back = onTarget ? -TIP_GAP : LABEL_BACK + disc - DISC; back < length; back += DISC) {
      const at: Point = [tip[0] - along[0] * back, tip[1] - along[1] * back];
      if (badge && touches(at, badge, BADGE)) continue;
      if (placed.some((other) => touches(at, other.at, scale * discOf(other.arrow.label)))) continue;
      placed.push({ arrow, at });
      break;
    }
  }
  return placed;
}

/** The centre of the glyph of a move to a square: the upper right corner, but not beyond the edge of the board. */
export function badgeAt(square: string, orientation: Colour): Point {
  const [x, y] = centreOf(square, orientation);
  return [Math.min(7.78, x + 0.36), Math.max(0.22, y - 0.36)];
}

export function centreOf(square: string, orientation: Colour): Point {
  const file = square.charCodeAt(0) - 97;
  const rank = Number(square[1]) - 1;
  return orientation === 'white' ? [file + 0.5, 7.5 - rank] : [7.5 - file, rank + 0.5];
}
