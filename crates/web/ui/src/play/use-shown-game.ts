/** The game as the screen shows it: the half-move on the board, whose turn it is, and the hint asked for. */

import type { SquareClasses } from '@lichess-org/chessground/types';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { spoken, stationsOf, trusted } from '../chess/position.ts';
import { currentRoute, rename } from '../route.ts';
import type { Colour, GameView, HintView } from '../server/types.ts';
import { announce } from '../shell/announce.ts';
import { playSound } from '../sounds.ts';
import { wasBegunHere } from './focus.ts';
import type { GameLink } from './use-game.ts';

const NO_GAME: Pick<GameView, 'start_fen' | 'moves'> = {
  start_fen: 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1',
  moves: [],
};

export type ShownGame = ReturnType<typeof useShownGame>;

export function useShownGame({ view, pending, elsewhere }: GameLink) {
  const { start_fen, moves } = view ?? NO_GAME;
  const person: Colour = view?.person ?? 'white';
  const played = useMemo(() => moves.map((move) => move.uci), [moves]);
  const line = pending && pending.ply === played.length ? [...played, pending.uci] : played;
  const stations = useMemo(() => stationsOf(start_fen, line), [start_fen, line.join(' ')]);
  const last = stations.length - 1;
  const [ply, setPly] = useShownPly(last);
  const shown = stations[Math.min(ply, last)] as (typeof stations)[number];
  const unfinished = view !== null && view.end === null && view.failure === null;
  const running = unfinished && !elsewhere;
  const position = useMemo(() => trusted(shown.fen), [shown.fen]);
  return {
    start_fen,
    moves,
    person,
    stations,
    last,
    ply,
    step: (to: number) => setPly(Math.max(0, Math.min(last, to))),
    shown,
    position,
    atEnd: ply >= last,
    unfinished,
    /** True if the game goes on and is played on this page. */
    running,
    yours: running && !pending && view.turn === person,
    canUndo: running && moves.length > (person === 'white' ? 0 : 1),
  };
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

/** A hint, and how much of it is told: first the piece, then the move. */
export interface Hint extends HintView {
  stage: 1 | 2;
}

/** The hint for the position of the game, the squares that it marks on the board, and the request for one. */
export function useHint(link: GameLink, { moves, running, atEnd, yours }: ShownGame) {
  const [asked, setHint] = useState<Hint | null>(null);
  const hint = running && asked?.ply === moves.length ? asked : null;
  const marks = useMemo<SquareClasses>(() => {
    const marked: SquareClasses = new Map();
    if (!hint || !atEnd) return marked;
    marked.set(hint.uci.slice(0, 2) as never, 'hint-square');
    if (hint.stage === 2) marked.set(hint.uci.slice(2, 4) as never, 'hint-square');
    return marked;
  }, [hint, atEnd]);
  const ask = async () => {
    if (!yours) return;
    if (hint) return setHint({ ...hint, stage: 2 });
    const given = await link.hint();
    if (given) {
      setHint({ ...given, stage: 1 });
      announce(`Hint: a piece on ${given.uci.slice(0, 2)}`);
    }
  };
  return { hint, marks, ask };
}

/** Announces, in speech and sound, what happened since the previous state. */
export function useAnnouncements(view: GameView | null, person: Colour): void {
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
