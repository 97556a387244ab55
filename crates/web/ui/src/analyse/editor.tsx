/** A board set up by hand. If the position breaks a rule, the editor names it, and the position cannot be searched. */

import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { INITIAL_FEN, positionOf } from '../chess/position.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Segments } from '../shell/segments.tsx';

interface Props {
  fen: string;
  onClose: () => void;
  onPosition: (fen: string) => void;
}

const ROLES = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'] as const;
const COLOURS = ['white', 'black'] as const;
const EMPTY_BOARD = '8/8/8/8/8/8/8/8';
const CASTLING = [
  ['K', 'White short'],
  ['Q', 'White long'],
  ['k', 'Black short'],
  ['q', 'Black long'],
] as const;

type Tool = 'hand' | 'bin' | `${(typeof COLOURS)[number]} ${(typeof ROLES)[number]}`;

/** The squares of a FEN, without the side to move and all that follows. */
const squaresOf = (fen: string) => fen.split(' ')[0] ?? EMPTY_BOARD;

export function Editor({ fen, onClose, onPosition }: Props) {
  const fields = fen.split(' ');
  const [turn, setTurn] = useState<'w' | 'b'>(fields[1] === 'b' ? 'b' : 'w');
  const [castling, setCastling] = useState(fields[2] ?? '-');
  const [tool, setTool] = useState<Tool>('hand');
  const { board, host, put, show } = useEditorBoard(squaresOf(fen), tool);
  const text = `${board} ${turn} ${castling || '-'} - 0 1`;
  const judged = positionOf(text);
  const problem = 'problem' in judged ? judged.problem : null;
  const toggle = (right: string) => {
    const rights = CASTLING.map(([name]) => name).filter((name) => castling.includes(name) !== (name === right));
    setCastling(rights.join('') || '-');
  };
  const clear = () => {
    show(EMPTY_BOARD);
    setCastling('-');
  };
  const reset = () => {
    show(squaresOf(INITIAL_FEN));
    setCastling('KQkq');
    setTurn('w');
  };
  return (
    <Dialog title="Board editor" onClose={onClose} wide={true}>
      <div class="editor">
        <div class="editor-board board-squares" onPointerDownCapture={put}>
          <div class="board-pieces" ref={host} />
        </div>
        <div class="form">
          <Palette tool={tool} onTool={setTool} />
          <Segments
            label="To move"
            options={[
              ['w', 'White'],
              ['b', 'Black'],
            ]}
            value={turn}
            onChange={setTurn}
          />
          <fieldset>
            <legend class="note">Castling</legend>
            {CASTLING.map(([right, name]) => (
              <label key={right} class="check">
                <input type="checkbox" checked={castling.includes(right)} onChange={() => toggle(right)} />
                {name}
              </label>
            ))}
          </fieldset>
          <div class="button-row">
            <button type="button" onClick={clear}>
              Clear
            </button>
            <button type="button" onClick={reset}>
              Start position
            </button>
          </div>
          <p class="problem" role="status">
            {problem}
          </p>
          <button type="button" class="primary" disabled={problem !== null} onClick={() => onPosition(text)}>
            Use this position
          </button>
        </div>
      </div>
      <p class="mono note">{text}</p>
    </Dialog>
  );
}

/** The pieces on the board, moved by hand or placed and removed with a tool. */
function useEditorBoard(first: string, tool: Tool) {
  const [board, setBoard] = useState(first);
  const host = useRef<HTMLDivElement>(null);
  const ground = useRef<Api>(null);
  useLayoutEffect(() => {
    const api = Chessground(host.current as HTMLDivElement, {
      fen: board,
      coordinates: false,
      movable: { free: true, color: 'both' },
      premovable: { enabled: false },
      draggable: { deleteOnDropOff: true },
      selectable: { enabled: false },
      drawable: { enabled: false },
      highlight: { lastMove: false },
      events: { change: () => setBoard(api.getFen()) },
    });
    ground.current = api;
    return () => api.destroy();
  }, []);
  useEffect(() => {
    ground.current?.set({ movable: { color: tool === 'hand' ? 'both' : (undefined as never) } });
  }, [tool]);
  return {
    board,
    host,
    /** Uses the tool on the square under the pointer. */
    put: (event: PointerEvent) => {
      const api = ground.current;
      if (!api || tool === 'hand') return;
      const square = api.getKeyAtDomPos([event.clientX, event.clientY]);
      if (!square) return;
      event.stopPropagation();
      event.preventDefault();
      const [color, role] = tool.split(' ');
      const piece = role ? { color: color as (typeof COLOURS)[number], role: role as (typeof ROLES)[number] } : undefined;
      api.setPieces(new Map([[square, piece]]));
      setBoard(api.getFen());
    },
    show: (next: string) => {
      ground.current?.set({ fen: next });
      setBoard(next);
    },
  };
}

function Palette({ tool, onTool }: { tool: Tool; onTool: (tool: Tool) => void }) {
  return (
    <fieldset class="palette">
      <legend>Piece to place</legend>
      {COLOURS.map((colour) => (
        <div key={colour} class="palette-row cg-wrap">
          {ROLES.map((role) => (
            <button
              key={role}
              type="button"
              class="palette-piece"
              aria-label={`${colour} ${role}`}
              aria-pressed={tool === `${colour} ${role}`}
              onClick={() => onTool(`${colour} ${role}`)}
            >
              <piece class={`${role} ${colour}`} />
            </button>
          ))}
        </div>
      ))}
      <div class="button-row">
        <button type="button" aria-pressed={tool === 'hand'} onClick={() => onTool('hand')}>
          Move pieces
        </button>
        <button type="button" aria-pressed={tool === 'bin'} onClick={() => onTool('bin')}>
          Remove
        </button>
      </div>
    </fieldset>
  );
}
