/** One game, live or finished. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SquareClasses } from '@lichess-org/chessground/types';
import { Board } from '../board/board.tsx';
import { parseSquare } from 'chessops/util';
import { spoken, stationsOf, trusted } from '../chess/position.ts';
import { useOpening } from '../chess/use-opening.ts';
import { Icon } from '../icons.tsx';
import { useKeys } from '../keys.ts';
import { currentRoute, rename } from '../route.ts';
import type { Colour, GameView, HintView } from '../server/types.ts';
import { announce } from '../shell/announce.ts';
import { useTitle } from '../shell/title.ts';
import { playSound } from '../sounds.ts';
import { BoardScreen } from './board-screen.tsx';
import { GameControls } from './game-controls.tsx';
import { GameEnd } from './game-end.tsx';
import { MoveEntry } from './move-entry.tsx';
import { MoveList } from './move-list.tsx';
import { PlayerLine } from './player-line.tsx';
import { SoundButton } from './sound-button.tsx';
import { StepButtons } from './step-buttons.tsx';
import { restoreFocus, wasBegunHere } from './focus.ts';
import { rememberGame } from './running-game.ts';
import type { GameLink } from './use-game.ts';

const NO_GAME: Pick<GameView, 'start_fen' | 'moves'> = {
  start_fen: 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1',
  moves: [],
};

export function GameScreen({ id, link }: { id: string; link: GameLink }) {
  const { view, pending } = link;
  const { start_fen, moves } = view ?? NO_GAME;
  const person: Colour = view?.person ?? 'white';
  const played = useMemo(() => moves.map((move) => move.uci), [moves]);
  const line = pending && pending.ply === played.length ? [...played, pending.uci] : played;
  const stations = useMemo(() => stationsOf(start_fen, line), [start_fen, line.join(' ')]);
  const last = stations.length - 1;
  const [ply, setPly] = useShownPly(last);
  const shown = stations[Math.min(ply, last)] as (typeof stations)[number];
  const [flipped, setFlipped] = useState(false);
  const orientation: Colour = (person === 'black') !== flipped ? 'black' : 'white';
  const [hint, setHint] = useState<(HintView & { stage: 1 | 2 }) | null>(null);
  const atEnd = ply >= last;
  const unfinished = view !== null && view.end === null && view.failure === null;
  const running = unfinished && !link.elsewhere;
  const watched = useRef(false);
  if (unfinished) watched.current = true;
  const yours = running && !pending && view.turn === person;
  const position = useMemo(() => trusted(shown.fen), [shown.fen]);

  useTitle(view ? `${titleOf(stations.length - 1, start_fen, shown.san)}Play` : 'Play');
  useAnnouncements(view, person);
  useEffect(restoreFocus, []);
  useEffect(() => {
    if (view) rememberGame(id, unfinished);
  }, [id, unfinished, view === null]);

  const askHint = async () => {
    if (!yours) return;
    if (hint && hint.ply === moves.length) return setHint({ ...hint, stage: 2 });
    const given = await link.hint();
    if (given) {
      setHint({ ...given, stage: 1 });
      announce(`Hint: a piece on ${given.uci.slice(0, 2)}`);
    }
  };
  const marks = useMemo<SquareClasses>(() => {
    const marked: SquareClasses = new Map();
    if (!running || !hint || hint.ply !== moves.length || !atEnd) return marked;
    marked.set(hint.uci.slice(0, 2) as never, 'hint-square');
    if (hint.stage === 2) marked.set(hint.uci.slice(2, 4) as never, 'hint-square');
    return marked;
  }, [hint, moves.length, atEnd, running]);

  const opening = useOpening(useMemo(() => stations.slice(0, ply + 1).map((station) => station.fen), [stations, ply]));
  const step = (to: number) => setPly(Math.max(0, Math.min(last, to)));
  const entry = useRef<HTMLInputElement>(null);
  const [typing, setTyping] = useState(false);
  const typeButton = useRef<HTMLButtonElement>(null);
  const beginTyping = () => {
    setTyping(true);
    entry.current?.focus();
  };
  const endTyping = () => {
    setTyping(false);
    typeButton.current?.focus();
  };
  const canUndo = running && moves.length > (person === 'white' ? 0 : 1);
  useKeys({
    ArrowLeft: () => step(ply - 1),
    ArrowRight: () => step(ply + 1),
    k: () => step(ply - 1),
    j: () => step(ply + 1),
    ',': () => step(ply - 1),
    '.': () => step(ply + 1),
    Home: () => step(0),
    End: () => step(last),
    '0': () => step(0),
    $: () => step(last),
    f: () => setFlipped(!flipped),
    u: () => canUndo && link.act('undo'),
    y: () => void askHint(),
    d: () => running && link.act('draw'),
    '/': () => !view?.end && beginTyping(),
  });

  const line1 = (colour: Colour) => (
    <PlayerLine colour={colour} view={view} at={link.at} position={position} />
  );
  const other: Colour = orientation === 'white' ? 'black' : 'white';
  return (
    <BoardScreen
      onStep={(by) => step(ply + by)}
      board={
        <Board
          fen={shown.fen}
          lastMove={shown.uci}
          orientation={orientation}
          movable={running && atEnd ? person : null}
          premove={running && atEnd && !yours}
          onMove={link.play}
          marks={marks}
        />
      }
      top={line1(other)}
      bottom={line1(orientation)}
      panel={
        <>
          <h1 class="sr-only">Game against {view?.opponent.name ?? 'the engine'}</h1>
          {/* All of it appears at once: parts that came first would be moved by the rest. */}
          {view && (
            <>
              <OpponentNote view={view} />
              <p class="opening note">{opening ? `${opening.code} ${opening.name}` : ''}</p>
              <MoveList stations={stations} moves={moves} ply={ply} onChoose={step} />
              <div class="board-note">
                {typing && !view.end && (
                  <MoveEntry
                    field={entry}
                    position={position}
                    enabled={yours && atEnd}
                    onMove={link.play}
                    words={{
                      resign: () => link.act('resign'),
                      draw: () => link.act('draw'),
                      undo: () => link.act('undo'),
                      flip: () => setFlipped(!flipped),
                    }}
                    onClose={endTyping}
                  />
                )}
                <p role="note">
                  {atEnd ? hintText(running ? hint : null, moves.length, position) : <>Viewing move {Math.ceil(ply / 2)} · <button type="button" class="link" onClick={() => step(last)}>back to the game</button></>}
                </p>
                {!view.end && (
                  <button ref={typeButton} type="button" class="icon-button" aria-label="Type a move" aria-pressed={typing} title="Type a move (/)" onClick={typing ? endTyping : beginTyping}>
                    <Icon name="keys" />
                  </button>
                )}
                <SoundButton />
              </div>
              <div class="game-row">
                <div class="dock">
                  <StepButtons ply={ply} last={last} onStep={step} onFlip={() => setFlipped(!flipped)} />
                </div>
                {!view.end && <GameControls view={running ? view : null} canUndo={canUndo} yours={yours} link={link} onHint={() => void askHint()} />}
              </div>
              {view.end ? (
                <GameEnd id={id} view={view} stations={stations} ply={ply} watched={watched.current} onChoose={step} />
              ) : (
                link.elsewhere && (
                  <p class="elsewhere">
                    Another tab is playing this game.{' '}
                    <button type="button" class="primary" onClick={link.takeOver}>
                      Take over here
                    </button>
                  </p>
                )
              )}
              {view.failure && (
                <p class="problem">
                  The engine failed: {view.failure}{' '}
                  <button type="button" onClick={() => link.act('retry')}>
                    Try again
                  </button>
                </p>
              )}
              {view.draw_declined_at === moves.length && !view.end && <p class="note">The engine declines a draw.</p>}
            </>
          )}
          {link.problem && <p class="problem">{link.problem}</p>}
        </>
      }
    />
  );
}

/** The hint in words: first the piece, then the move. */
function hintText(hint: (HintView & { stage: 1 | 2 }) | null, plies: number, position: ReturnType<typeof trusted>): string {
  if (!hint || hint.ply !== plies) return '';
  const from = hint.uci.slice(0, 2);
  const role = position.board.get(parseSquare(from) ?? 0)?.role ?? 'piece';
  return hint.stage === 1 ? `Hint: the ${role} on ${from}` : `Hint: the ${role} from ${from} to ${hint.uci.slice(2, 4)}`;
}

function OpponentNote({ view }: { view: GameView }) {
  const { opponent } = view;
  return (
    <p class="opponent-note">
      <b>{opponent.level ?? 'Tabiya'}</b> · <span title={opponent.name}>network {opponent.network}</span> · {opponent.pace}
      {view.help && <span class="tag">with help</span>}
      {!view.end && (
        <a class="new-game" href="/?new=1">
          New game
        </a>
      )}
    </p>
  );
}

/** The ply the board shows: the newest, until the reader goes back; it is kept in the address. */
function useShownPly(last: number): [number, (ply: number) => void] {
  const [ply, setPly] = useState(() => {
    const asked = Number.parseInt(currentRoute().hash, 10);
    return Number.isNaN(asked) ? Number.POSITIVE_INFINITY : asked;
  });
  const choose = (next: number) => {
    const newest = next >= last;
    setPly(newest ? Number.POSITIVE_INFINITY : next);
    rename(location.pathname + location.search + (newest ? '' : `#${next}`));
  };
  return [Math.min(ply, last), choose];
}

/** Announces, in speech and sound, what happened since the previous state. */
function useAnnouncements(view: GameView | null, person: Colour): void {
  const before = useRef<GameView | null>(null);
  useEffect(() => {
    const old = before.current;
    before.current = view;
    if (!view) return;
    const move = view.moves.at(-1);
    const known = old ? old.moves.length : wasBegunHere() ? 0 : view.moves.length;
    const fresh = view.moves.slice(known);
    if (move && fresh.length > 0) {
      const whiteBegan = view.start_fen.split(' ')[1] === 'w';
      const told = fresh.map(({ san }, index) => `${((known + index) % 2 === 0) === whiteBegan ? 'White' : 'Black'}: ${spoken(san)}`);
      announce([...told, ...(view.end ? [view.end.text] : [])].join('. '));
      playSound(view.end ? 'end' : move.san.includes('+') ? 'check' : move.san.includes('x') ? 'capture' : 'move');
    } else if (view.end && old && !old.end) {
      announce(view.end.text);
      playSound('end');
    }
  }, [view, person]);
}

function titleOf(plies: number, startFen: string, san: string | null): string {
  if (!san || plies === 0) return '';
  const offset = startFen.split(' ')[1] === 'b' ? 1 : 0;
  return `${Math.ceil((plies + offset) / 2)}${(plies + offset) % 2 === 1 ? '.' : '...'} ${san} · `;
}
