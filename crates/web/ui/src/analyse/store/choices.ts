/** What the reader chose on the screen. A new choice is a line of `Fields` and its first value in `firstChoices`. */

import { useMemo } from 'preact/hooks';
import type { Colour } from '../../server/types.ts';
import type { GameDialog } from '../game-menu.ts';
import type { Layers } from '../layer-buttons.tsx';
import type { View } from '../numbers.ts';
import { useFields } from './fields.ts';

/** The tabs beside the board, by the name that the address has for each. */
export const TABS = [
  ['moves', 'Moves'],
  ['tree', 'Tree'],
  ['replay', 'Replay'],
  ['human', 'Human'],
  ['openings', 'Openings'],
  ['review', 'Review'],
] as const;
export type Tab = (typeof TABS)[number][0];

interface Fields {
  tab: Tab;
  /** The side at the bottom of the board. */
  orientation: Colour;
  view: View;
  layers: Layers;
  /** True if every move of the search has a row. */
  all: boolean;
  /** True if the engine's output is hidden. */
  hidden: boolean;
  /** Nodes per position of the next review. */
  reviewNodes: number;
  dialog: GameDialog | null;
  /** Text that the import dialog opens with. */
  given: string | undefined;
}

export type Choices = ReturnType<typeof useChoices>;

function firstChoices(query: URLSearchParams): Fields {
  return {
    tab: TABS.find(([one]) => one === query.get('tab'))?.[0] ?? 'moves',
    orientation: query.get('flip') ? 'black' : 'white',
    view: query.get('pov') === 'turn' ? 'mover' : 'white',
    layers: { arrows: true, heat: 'off', threat: false, label: 'visits' },
    all: false,
    hidden: false,
    reviewNodes: 1600,
    dialog: null,
    given: undefined,
  };
}

export function useChoices(query: URLSearchParams) {
  const [fields, choose] = useFields(() => firstChoices(query));
  return useMemo(
    () => ({
      ...fields,
      choose,
      flip: () => choose({ orientation: fields.orientation === 'white' ? 'black' : 'white' }),
      turnView: () => choose({ view: fields.view === 'white' ? 'mover' : 'white' }),
    }),
    [fields],
  );
}
