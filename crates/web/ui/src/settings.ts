/** The reader's choices for this browser. The theme is a cookie, so that the server's first byte has the right colours. */

import { useLayoutEffect, useState } from 'preact/hooks';

export type Theme = 'auto' | 'light' | 'dark';
export type BoardColours = 'slate' | 'walnut' | 'sage' | 'contrast' | 'sky' | 'plum' | 'sand' | 'rose';
/** Piece set: cburnett (classic), or one of Tabiya's own (`board/piece-sets.ts`). */
export type PieceSet = 'classic' | 'solid' | 'ivory' | 'discs' | 'letters' | 'signs';
/** Unit of values: win percentage, or the equivalent in pawns. */
export type ValueUnit = 'percent' | 'pawns';

/** The moves of an analysis: White's and Black's in columns, or one after another as in a book. */
export type MovesAs = 'columns' | 'text';

export interface Settings {
  board: BoardColours;
  pieces: PieceSet;
  unit: ValueUnit;
  moves: MovesAs;
  sounds: boolean;
  singleKeys: boolean;
  alwaysQueen: boolean;
}

const KEY = 'tabiya.settings';
const DEFAULTS: Settings = { board: 'slate', pieces: 'classic', unit: 'percent', moves: 'columns', sounds: false, singleKeys: true, alwaysQueen: false };

/** The object that this browser remembers under a name; `fallback` if it remembers nothing of that shape. */
export function remembered<T extends object>(key: string, fallback: T): T {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return kept && typeof kept === 'object' ? { ...fallback, ...kept } : fallback;
  } catch {
    return fallback;
  }
}

export function remember(key: string, value: object): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A browser that stores nothing (private window, full disk) still plays.
  }
}

let settings = remembered(KEY, DEFAULTS);
const watchers = new Set<() => void>();

export function currentSettings(): Settings {
  return settings;
}

export function change(changes: Partial<Settings>): void {
  settings = { ...settings, ...changes };
  remember(KEY, settings);
  for (const watcher of watchers) watcher();
}

/** Calls `watcher` after each change until the returned function is called. */
export function watchSettings(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
  };
}

export function useSettings(): Settings {
  const [value, setValue] = useState(settings);
  useLayoutEffect(() => watchSettings(() => setValue(settings)), []);
  return value;
}

export function currentTheme(): Theme {
  const theme = document.documentElement.dataset['theme'];
  return theme === 'light' || theme === 'dark' ? theme : 'auto';
}

export function setTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  document.cookie = `theme=${theme}; path=/; max-age=31536000; samesite=strict`;
}
