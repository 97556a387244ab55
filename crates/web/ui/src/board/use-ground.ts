/** Chessground in an element: its pieces follow the properties of the board, and its moves come back, promotions with their piece. */

import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { Key } from '@lichess-org/chessground/types';
import type { Role } from 'chessops/types';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Position, checkedColour, isPromotion, squaresOf, standardUci, trusted } from '../chess/position.ts';
import { currentSettings } from '../settings.ts';
import type { BoardProps } from './board.tsx';

const ANIMATION_MS = 160;

export function useGround(props: BoardProps, position: Position, destinations: Map<Key, Key[]>) {
  const { fen, orientation, movable, lastMove, premove, version, marks, shapes } = props;
  const host = useRef<HTMLDivElement>(null);
  const ground = useRef<Api>(null);
  const latest = useRef(props);
  latest.current = props;
  /** A promotion whose piece is not chosen yet. */
  const [choice, setChoice] = useState<{ from: Key; to: Key } | null>(null);
  const altHeld = useAltHeld();

  const put = (from: Key, to: Key) => {
    const { onMove, fen } = latest.current;
    const now = trusted(fen);
    if (!isPromotion(now, from, to)) onMove?.(standardUci(now, from, to));
    else if (currentSettings().alwaysQueen || altHeld.current) onMove?.(standardUci(now, from, to, 'queen'));
    else setChoice({ from, to });
  };

  useLayoutEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const api = Chessground(host.current as HTMLDivElement, {
      coordinates: false,
      animation: { enabled: !still, duration: ANIMATION_MS },
      highlight: { lastMove: true, check: true },
      draggable: { showGhost: true },
      drawable: { onChange: (shapes) => latest.current.onShapes?.(shapes) },
      movable: { free: false, showDests: true, events: { after: put } },
      events: { select: () => latest.current.onSelect?.(api.state.selected ?? null) },
    });
    ground.current = api;
    return () => api.destroy();
  }, []);

  useLayoutEffect(() => {
    setChoice(null);
    const may = movable !== null && props.onMove !== undefined;
    ground.current?.set({
      fen,
      orientation,
      turnColor: position.turn,
      check: checkedColour(position),
      lastMove: lastMove ? squaresOf(lastMove) : [],
      viewOnly: false,
      movable: may
        ? { color: movable, dests: movable === 'both' || movable === position.turn ? destinations : new Map() }
        : { color: undefined as never, dests: new Map() },
      premovable: { enabled: premove ?? false },
      selectable: { enabled: true },
      draggable: { enabled: may },
    });
    if (movable === position.turn) ground.current?.playPremove();
    // The board follows only these; handlers are read when they are needed.
  }, [fen, orientation, movable, lastMove, premove, version]);

  useEffect(() => {
    ground.current?.set({ highlight: { custom: marks ?? new Map() } });
  }, [marks]);

  useEffect(() => {
    if (shapes) ground.current?.setShapes(shapes);
  }, [shapes]);

  useCancelling(host, ground);

  return {
    host,
    put,
    choice,
    promote: (role: Role) => {
      if (!choice) return;
      setChoice(null);
      props.onMove?.(standardUci(position, choice.from, choice.to, role));
    },
    /** Puts every piece back where the game has it. */
    restore: () => {
      setChoice(null);
      const { fen, lastMove, movable } = latest.current;
      ground.current?.set({ fen, lastMove: lastMove ? squaresOf(lastMove) : [], turnColor: trusted(fen).turn });
      ground.current?.set({ movable: { color: movable ?? (undefined as never), dests: destinations } });
    },
  };
}

/** Whether Alt was held when the pointer last let go. */
function useAltHeld(): { readonly current: boolean } {
  const held = useRef(false);
  useLayoutEffect(() => {
    const watch = (event: PointerEvent) => {
      held.current = event.altKey;
    };
    addEventListener('pointerup', watch, true);
    return () => removeEventListener('pointerup', watch, true);
  }, []);
  return held;
}

/** Esc cancels a premove and a selection, a click outside the board a premove. */
function useCancelling(host: { readonly current: HTMLElement | null }, ground: { readonly current: Api | null }): void {
  useLayoutEffect(() => {
    const cancel = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      ground.current?.cancelPremove();
      ground.current?.selectSquare(null);
    };
    const beside = (event: PointerEvent) => {
      if (!host.current?.contains(event.target as Node)) ground.current?.cancelPremove();
    };
    addEventListener('keydown', cancel);
    addEventListener('pointerdown', beside);
    return () => {
      removeEventListener('pointerdown', beside);
      removeEventListener('keydown', cancel);
    };
  }, []);
}
