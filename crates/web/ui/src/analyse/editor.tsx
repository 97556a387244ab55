/** A board set up by hand. If the position breaks a rule, the editor names it, and the position cannot be searched. */

import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../shell/dialog.tsx';
import { Segments } from '../shell/segments.tsx';
import { EMPTY_BOARD, START, type SetUp, fenOf, passantSquares, ruleBroken, setUpOf, withRight } from './set-up.ts';

interface Props {
  fen: string;
  onClose: () => void;
  onPosition: (fen: string) => void;
}

const ROLES = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'] as const;
const COLOURS = ['white', 'black'] as const;
const CASTLING = [
  ['K', 'White short'],
  ['Q', 'White long'],
  ['k', 'Black short'],
  ['q', 'Black long'],
] as const;

type Tool = 'hand' | 'bin' | `${(typeof COLOURS)[number]} ${(typeof ROLES)[number]}`;

export function Editor({ fen, onClose, onPosition }: Props) {
  const [fields, setFields] = useState(() => setUpOf(fen));
  /** A FEN that is being typed and is not a position yet. */
  const [typed, setTyped] = useState<string | null>(null);
  const [tool, setTool] = useState<Tool>('hand');
  const [black, setBlack] = useState(false);
  const change = (part: Partial<SetUp>) => {
    setTyped(null);
    setFields((now) => ({ ...now, ...part }));
  };
  const { host, put, show } = useEditorBoard(fields.board, tool, black, (board) => change({ board }));
  const use = (next: SetUp) => {
    show(next.board);
    change(next);
  };
  const passants = passantSquares(fields);
  // A piece may have been put where the pawn went through.
  const passant = passants.includes(fields.passant) ? fields.passant : '-';
  const text = typed ?? fenOf({ ...fields, passant });
  const problem = ruleBroken(text);
  const type = (next: string) => {
    if (ruleBroken(next) === null) use(setUpOf(next));
    setTyped(next);
  };
  return (
    <Dialog title="Board editor" onClose={onClose} wide={true}>
      <div class="editor">
        <div class="editor-board board-squares" onPointerDownCapture={put}>
          <div class="board-pieces" ref={host} />
        </div>
        <div class="form">
          <Palette tool={tool} onTool={setTool} />
          <Rules fields={fields} passant={passant} passants={passants} onChange={change} />
          <div class="button-row">
            <button type="button" onClick={() => use({ ...setUpOf(EMPTY_BOARD), turn: fields.turn })}>
              Clear
            </button>
            <button type="button" onClick={() => use(START)}>
              Start position
            </button>
            <button type="button" aria-pressed={black} onClick={() => setBlack(!black)}>
              Flip
            </button>
          </div>
          <p class="problem" role="status">
            {problem}
          </p>
          <button type="button" class="primary" disabled={problem !== null} onClick={() => onPosition(text.trim())}>
            Use this position
          </button>
        </div>
      </div>
      <label class="field">
        <span>FEN</span>
        <input type="text" class="mono" spellcheck={false} autocomplete="off" value={text} onInput={(event) => type(event.currentTarget.value)} />
      </label>
    </Dialog>
  );
}

interface RulesProps {
  fields: SetUp;
  passant: string;
  /** The squares that can be chosen for it. */
  passants: readonly string[];
  onChange: (part: Partial<SetUp>) => void;
}

/** What a position has besides its pieces. */
function Rules({ fields, passant, passants, onChange }: RulesProps) {
  return (
    <>
      <Segments
        label="To move"
        options={[
          ['w', 'White'],
          ['b', 'Black'],
        ]}
        value={fields.turn}
        onChange={(turn) => onChange({ turn })}
      />
      <fieldset>
        <legend class="note">Castling</legend>
        {CASTLING.map(([right, name]) => (
          <label key={right} class="check">
            <input type="checkbox" checked={fields.castling.includes(right)} onChange={() => onChange({ castling: withRight(fields.castling, right) })} />
            {name}
          </label>
        ))}
      </fieldset>
      <div class="button-row">
        <label class="inline-field">
          <span>En passant</span>
          <select value={passant} disabled={passants.length === 0} onChange={(event) => onChange({ passant: event.currentTarget.value })}>
            {['-', ...passants].map((square) => (
              <option key={square} value={square}>
                {square === '-' ? 'none' : square}
              </option>
            ))}
          </select>
        </label>
        <Count label="Move" least={1} value={fields.move} onChange={(move) => onChange({ move })} />
        <Count label="Half-moves without capture or pawn move" least={0} value={fields.quiet} onChange={(quiet) => onChange({ quiet })} />
      </div>
    </>
  );
}

function Count({ label, least, value, onChange }: { label: string; least: number; value: number; onChange: (value: number) => void }) {
  return (
    <label class="inline-field">
      <span>{label}</span>
      <input
        type="number"
        min={least}
        max={9999}
        value={value}
        onChange={(event) => onChange(Math.min(9999, Math.max(least, Math.trunc(event.currentTarget.valueAsNumber || 0))))}
      />
    </label>
  );
}

/** The pieces on the board, moved by hand or placed and removed with a tool. */
function useEditorBoard(first: string, tool: Tool, black: boolean, onBoard: (board: string) => void) {
  const latest = useRef(onBoard);
  latest.current = onBoard;
  const host = useRef<HTMLDivElement>(null);
  const ground = useRef<Api>(null);
  useLayoutEffect(() => {
    const api = Chessground(host.current as HTMLDivElement, {
      fen: first,
      coordinates: false,
      movable: { free: true, color: 'both' },
      premovable: { enabled: false },
      draggable: { deleteOnDropOff: true },
      selectable: { enabled: false },
      drawable: { enabled: false },
      highlight: { lastMove: false },
      events: { change: () => latest.current(api.getFen()) },
    });
    ground.current = api;
    return () => api.destroy();
  }, []);
  useEffect(() => {
    ground.current?.set({ movable: { color: tool === 'hand' ? 'both' : (undefined as never) } });
  }, [tool]);
  useEffect(() => ground.current?.set({ orientation: black ? 'black' : 'white' }), [black]);
  return {
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
      latest.current(api.getFen());
    },
    show: (next: string) => ground.current?.set({ fen: next }),
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
