/** One game, live or finished. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Board } from '../board/board.tsx';
import { useOpening } from '../chess/use-opening.ts';
import { useKeys } from '../keys.ts';
import type { Colour } from '../server/types.ts';
import { useTitle } from '../shell/title.ts';
import { BoardNote, useTyping } from './board-note.tsx';
import { BoardScreen } from './board-screen.tsx';
import { restoreFocus } from './focus.ts';
import { GameControls } from './game-controls.tsx';
import { GameEnd } from './game-end.tsx';
import { MoveList } from './move-list.tsx';
import { PlayerLine } from './player-line.tsx';
import { rememberGame } from './running-game.ts';
import { StepButtons } from './step-buttons.tsx';
import type { GameLink } from './use-game.ts';
import { type ShownGame, useAnnouncements, useHint, useShownGame } from './use-shown-game.ts';

export function GameScreen({ id, link }: { id: string; link: GameLink }) {
  const { view } = link;
  const game = useShownGame(link);
  const { shown, atEnd, running, unfinished, person, position, ply, step } = game;
  const [flipped, setFlipped] = useState(false);
  const orientation: Colour = (person === 'black') !== flipped ? 'black' : 'white';
  const other: Colour = orientation === 'white' ? 'black' : 'white';
  useTitle(view ? `${titleOf(game)}Play` : 'Play');
  useAnnouncements(view, person);
  useEffect(restoreFocus, []);
  useEffect(() => {
    if (view) rememberGame(id, unfinished);
  }, [id, unfinished, view === null]);
  const hint = useHint(link, game);
  const playerLine = (colour: Colour) => <PlayerLine colour={colour} view={view} at={link.at} position={position} />;
  return (
    <BoardScreen
      onStep={(by) => step(ply + by)}
      board={
        <Board
          fen={shown.fen}
          lastMove={shown.uci}
          orientation={orientation}
          movable={running && atEnd ? person : null}
          premove={running && atEnd && !game.yours}
          onMove={link.play}
          marks={hint.marks}
        />
      }
      top={playerLine(other)}
      bottom={playerLine(orientation)}
      panel={
        <>
          <h1 class="sr-only">Game against {view?.opponent.name ?? 'the engine'}</h1>
          <Panel id={id} link={link} game={game} hint={hint} onFlip={() => setFlipped(!flipped)} />
          {!view && link.problem && <p class="problem">{link.problem}</p>}
        </>
      }
    />
  );
}

interface PanelProps {
  id: string;
  link: GameLink;
  game: ShownGame;
  hint: ReturnType<typeof useHint>;
  onFlip: () => void;
}

/**
 * Empty until the game is known, because parts that came first would be moved by the rest. The result and all messages come between the
 * moves and the steps, and take their room from the list of moves alone.
 */
function Panel({ id, link, game, hint, onFlip }: PanelProps) {
  const { view } = link;
  const { moves, stations, ply, last, step, unfinished, running, yours, canUndo } = game;
  const typing = useTyping();
  const opening = useOpening(useMemo(() => stations.slice(0, ply + 1).map((station) => station.fen), [stations, ply]));
  /** True once this page has seen the game being played. */
  const watched = useRef(false);
  if (unfinished) watched.current = true;
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
    f: onFlip,
    u: () => canUndo && link.act('undo'),
    y: () => void hint.ask(),
    d: () => running && link.act('draw'),
    '/': () => !view?.end && typing.begin(),
  });
  if (!view) return null;
  return (
    <>
      <OpponentNote link={link} />
      <p class="opening note">{opening ? `${opening.code} ${opening.name}` : ''}</p>
      <MoveList stations={stations} moves={moves} ply={ply} onChoose={step} />
      {view.end && <GameEnd id={id} view={view} stations={stations} ply={ply} watched={watched.current} onChoose={step} />}
      <Troubles link={link} />
      <BoardNote link={link} game={game} hint={hint.hint} typing={typing} onFlip={onFlip} />
      <div class="game-row">
        <div class="dock">
          <StepButtons ply={ply} last={last} onStep={step} onFlip={onFlip} />
        </div>
        {!view.end && <GameControls view={running ? view : null} canUndo={canUndo} yours={yours} link={link} onHint={() => void hint.ask()} />}
      </div>
    </>
  );
}

function OpponentNote({ link: { view } }: { link: GameLink }) {
  if (!view) return null;
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

/** What keeps the game from going on, and what to do about it. */
function Troubles({ link }: { link: GameLink }) {
  const { view, elsewhere, problem } = link;
  if (!view) return null;
  return (
    <div class="troubles">
      {!view.end && elsewhere && (
        <p class="elsewhere">
          Another tab is playing this game.{' '}
          <button type="button" class="primary" onClick={link.takeOver}>
            Take over here
          </button>
        </p>
      )}
      {view.failure && (
        <p class="problem">
          The engine failed: {view.failure}{' '}
          <button type="button" onClick={() => link.act('retry')}>
            Try again
          </button>
        </p>
      )}
      {view.draw_declined_at === view.moves.length && !view.end && <p class="note">The engine declines a draw.</p>}
      {problem && <p class="problem">{problem}</p>}
    </div>
  );
}

/** The move on the board, as in `3... Nf6 · `, before the name of the screen. */
function titleOf({ stations, start_fen: start, shown: { san } }: ShownGame): string {
  const plies = stations.length - 1;
  if (!san || plies === 0) return '';
  const offset = start.split(' ')[1] === 'b' ? 1 : 0;
  return `${Math.ceil((plies + offset) / 2)}${(plies + offset) % 2 === 1 ? '.' : '...'} ${san} · `;
}
