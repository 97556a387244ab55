/** The board: chessground for eyes and pointers, a grid beside it for those who use neither. */

import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Key, SquareClasses } from '@lichess-org/chessground/types';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { checkedColour, destinationsOf, isPromotion, squaresOf, standardUci, trusted } from '../chess/position.ts';
import type { Colour } from '../server/types.ts';
import { currentSettings } from '../settings.ts';
import { BoardGrid } from './grid.tsx';
import { PromotionChooser } from './promotion.tsx';

export interface BoardProps {
  fen: string;
  /** The move that led here; null if there is none. */
  lastMove: string | null;
  orientation: Colour;
  /** The side that may be moved here; null for nobody. */
  movable: Colour | 'both' | null;
  /** True if a premove may be made while the other side thinks. */
  premove?: boolean;
  onMove?: (uci: string) => void;
  /** Incremented when the pieces must be put back in the same position: a move was tried and not played. */
  version?: number;
  /** Squares to tint or mark, by class names. */
  marks?: SquareClasses;
  shapes?: DrawShape[];
  onShapes?: (shapes: DrawShape[]) => void;
  onSelect?: (square: Key | null) => void;
  /** Drawn above the squares and below the pointer, in the same coordinates. */
  children?: ComponentChildren;
}

const ANIMATION_MS = 160;

export function Board(props: BoardProps) {
  const { fen, orientation, movable } = props;
  const host = useRef<HTMLDivElement>(null);
  const ground = useRef<Api>(null);
  const latest = useRef(props);
  latest.current = props;
  const position = useMemo(() => trusted(fen), [fen]);
  const destinations = useMemo(() => destinationsOf(position), [position]);
  const [choice, setChoice] = useState<{ from: Key; to: Key } | null>(null);
  const altHeld = useRef(false);

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
      lastMove: props.lastMove ? squaresOf(props.lastMove) : [],
      viewOnly: false,
      movable: may
        ? { color: movable, dests: movable === 'both' || movable === position.turn ? destinations : new Map() }
        : { color: undefined as never, dests: new Map() },
      premovable: { enabled: props.premove ?? false },
      selectable: { enabled: true },
      draggable: { enabled: may },
    });
    if (movable === position.turn) ground.current?.playPremove();
    // The board follows only these; handlers are read when they are needed.
  }, [fen, orientation, movable, props.lastMove, props.premove, props.version]);

  useEffect(() => {
    ground.current?.set({ highlight: { custom: props.marks ?? new Map() } });
  }, [props.marks]);

  useEffect(() => {
    if (props.shapes) ground.current?.setShapes(props.shapes);
  }, [props.shapes]);

  /** Puts every piece back where the game has it. */
  const restore = () => {
    setChoice(null);
    const { fen, lastMove } = latest.current;
    ground.current?.set({ fen, lastMove: lastMove ? squaresOf(lastMove) : [], turnColor: trusted(fen).turn });
    ground.current?.set({ movable: { color: latest.current.movable ?? (undefined as never), dests: destinations } });
  };

  useLayoutEffect(() => {
    const watchAlt = (event: PointerEvent) => {
      altHeld.current = event.altKey;
    };
    const cancel = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      ground.current?.cancelPremove();
      ground.current?.selectSquare(null);
    };
    // A click outside the board cancels a premove.
    const beside = (event: PointerEvent) => {
      if (!host.current?.contains(event.target as Node)) ground.current?.cancelPremove();
    };
    addEventListener('keydown', cancel);
    addEventListener('pointerdown', beside);
    addEventListener('pointerup', watchAlt, true);
    return () => {
      removeEventListener('pointerdown', beside);
      removeEventListener('keydown', cancel);
      removeEventListener('pointerup', watchAlt, true);
    };
  }, []);

  return (
    <div class="board" data-orientation={orientation}>
      <Coordinates orientation={orientation} />
      <div class="board-squares">
        <div class="board-pieces" ref={host} aria-hidden="true" />
        {props.children}
        <BoardGrid
          position={position}
          orientation={orientation}
          destinations={movable === 'both' || movable === position.turn ? destinations : new Map()}
          lastMove={props.lastMove}
          onMove={put}
        />
        {choice && (
          <PromotionChooser
            square={choice.to}
            colour={position.turn}
            orientation={orientation}
            onChoose={(role) => {
              const uci = standardUci(position, choice.from, choice.to, role);
              setChoice(null);
              props.onMove?.(uci);
            }}
            onCancel={restore}
          />
        )}
      </div>
    </div>
  );
}

function Coordinates({ orientation }: { orientation: Colour }) {
  const files = [...'abcdefgh'];
  const ranks = [...'87654321'];
  if (orientation === 'black') {
    files.reverse();
    ranks.reverse();
  }
  return (
    <>
      <div class="board-ranks" aria-hidden="true">
        {ranks.map((rank) => (
          <span key={rank}>{rank}</span>
        ))}
      </div>
      <div class="board-files" aria-hidden="true">
        {files.map((file) => (
          <span key={file}>{file}</span>
        ))}
      </div>
    </>
  );
}
