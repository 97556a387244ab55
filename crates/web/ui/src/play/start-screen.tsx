/** The screen before a game: a board on which the first move starts one, and the form with the choice of opponent. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { Board } from '../board/board.tsx';
import { INITIAL_FEN, positionOf, stationsOf } from '../chess/position.ts';
import { go, swap } from '../route.ts';
import { live } from '../server/live.ts';
import { explain, get, post } from '../server/request.ts';
import type { GameList, GameView, Level, NetworkSummary } from '../server/types.ts';
import { opponentName, startedText } from '../shell/game-texts.ts';
import { useTitle } from '../shell/title.ts';
import { plural } from '../analyse/numbers.ts';
import { awaitedMove } from './awaited-move.ts';
import { BoardScreen } from './board-screen.tsx';
import { type Choices, chosenLevel, loadChoices, newGame, offersOf, saveChoices } from './choices.ts';
import { beginHere } from './focus.ts';
import { resumeGame } from './running-game.ts';
import { StartForm } from './start-form.tsx';

export function StartScreen() {
  useTitle('Play');
  const [choices, update] = useKeptChoices();
  const [problem, setProblem] = useState<string | null>(null);
  const { networks, levels, recent } = useOffered(setProblem);
  const [starting, setStarting] = useState(false);
  /** A move made before the opponent was known. */
  const [awaited, setAwaited] = useState<string | null>(awaitedMove);
  useEffect(resumeGame, []);
  const offers = useMemo(() => offersOf(levels ?? [], networks ?? [], recent.games), [levels, networks, recent]);
  const listed = choices.strength === 'people' || choices.strength === 'system';
  const named = listed || choices.strength === 'level';
  const known = !named || (levels !== null && networks !== null);
  /** True while the form ends with the kind of opponent (`start-form.tsx`). */
  const unlisted = listed && !known;
  const nobody = known && choices.strength === 'people' && offers.people.length === 0;
  const { fen, fenProblem } = useMemo(() => startOf(choices.fen), [choices.fen]);
  const turn = fen.split(' ')[1] === 'b' ? 'black' : 'white';
  const person = choices.colour === 'random' ? turn : choices.colour;

  const start = async (firstMove?: string) => {
    if (fenProblem || starting || nobody) return;
    if (!known) {
      if (firstMove) setAwaited(firstMove);
      return;
    }
    setStarting(true);
    setProblem(null);
    try {
      const wish = newGame(choices, offers, fen === INITIAL_FEN ? undefined : fen);
      if (firstMove) wish.color = turn;
      const game = await post<GameView>('/games', wish);
      if (firstMove) beginHere();
      if (firstMove) await post<GameView>(`/games/${game.id}/moves`, { ply: 0, uci: firstMove });
      (firstMove ? swap : go)(`/play/${game.id}`);
    } catch (error) {
      setProblem(explain(error));
      setStarting(false);
      setAwaited(null);
    }
  };
  useEffect(() => {
    if (!known || !awaited) return;
    if (nobody) setAwaited(null);
    else void start(awaited);
  }, [known, awaited]);
  const shown = useMemo(() => (awaited ? stationsOf(fen, [awaited]) : []).at(1) ?? { fen, uci: null }, [fen, awaited]);
  const heading = person === turn ? 'Move a piece to begin' : 'Press Start and the engine begins';
  return (
    <BoardScreen
      board={
        <Board
          fen={shown.fen}
          lastMove={shown.uci}
          orientation={person}
          movable={person === turn && !starting && !awaited && !nobody ? turn : null}
          onMove={(uci) => void start(uci)}
        />
      }
      top={<p class="player-name">{chosenLevel(choices, offers)?.name ?? networks?.find((one) => one.id === choices.network)?.name ?? 'Tabiya'}</p>}
      bottom={<p class="player-name">{person === 'white' ? 'You play White' : 'You play Black'}</p>}
      panel={
        <>
          <h1>{heading}</h1>
          <StartForm choices={choices} networks={networks ?? []} offers={offers} fenProblem={fenProblem} awaited={!known} onChange={update} />
          {!unlisted && (
            <div class="button-row start-row">
              <button type="button" class="primary" disabled={fenProblem !== null || starting || !known || nobody} onClick={() => void start()}>
                {person === turn && choices.colour !== 'random' ? 'Start' : 'Start (the engine may begin)'}
              </button>
            </div>
          )}
          {problem && <p class="problem">{problem}</p>}
          {!unlisted && <RecentGames {...recent} />}
        </>
      }
    />
  );
}

/** The reader's last choices; the address may name a position and an opponent. Every change is kept. */
function useKeptChoices(): [Choices, (changes: Partial<Choices>) => void] {
  const [choices, setChoices] = useState<Choices>(() => {
    const kept = loadChoices();
    const query = new URLSearchParams(location.search);
    const [fen, network] = [query.get('fen'), query.get('net')];
    if (network) Object.assign(kept, { network, strength: 'nodes' });
    return fen ? { ...kept, fen } : kept;
  });
  const update = (changes: Partial<Choices>) => {
    const next = { ...choices, ...changes };
    setChoices(next);
    saveChoices(next);
  };
  return [choices, update];
}

/** The opponents that the server has, and the last games; null until they are known. */
function useOffered(complain: (problem: string | null) => void) {
  const [networks, setNetworks] = useState<NetworkSummary[] | null>(null);
  const [levels, setLevels] = useState<Level[] | null>(null);
  const [recent, setRecent] = useState<GameList>({ games: [], problems: [] });
  useEffect(() => {
    const fail = (error: unknown) => complain(explain(error));
    const load = () => {
      complain(null);
      get<Level[]>('/levels').then(setLevels, fail);
      get<NetworkSummary[]>('/networks').then((all) => setNetworks(all.filter((one) => !one.problem)), fail);
      get<GameList>('/games').then(setRecent, fail);
    };
    load();
    // A visitor who came while the server was down gets the form when it is back.
    return live.onReopen(load);
  }, []);
  return { networks, levels, recent };
}

/** The position to start from, which is the usual one while nothing is given or what is given is not legal. */
function startOf(given: string): { fen: string; fenProblem: string | null } {
  const judged = given.trim() ? positionOf(given) : null;
  if (judged && 'position' in judged) return { fen: given.trim(), fenProblem: null };
  return { fen: INITIAL_FEN, fenProblem: judged?.problem ?? null };
}

/** Number of the last games that stand below the form. */
const LISTED = 8;

function RecentGames({ games, problems }: GameList) {
  if (games.length + problems.length === 0) return null;
  return (
    <section class="recent">
      <h2>
        Games <a href="/play/games">{games.length > LISTED ? `all ${games.length.toLocaleString('en')}` : 'search'}</a>
      </h2>
      <ul>
        {games.slice(0, LISTED).map((game) => (
          <li key={game.id}>
            <a href={`/play/${game.id}`}>{startedText(game)}</a>
            <span>
              {game.person === 'white' ? 'White' : 'Black'} against {opponentName(game)}, {plural(Math.ceil(game.plies / 2), 'move')}
            </span>
            <span class="figure">{game.end ? game.result : 'unfinished'}</span>
          </li>
        ))}
      </ul>
      {problems.map((one) => (
        <p key={one} class="problem">
          {one}
        </p>
      ))}
    </section>
  );
}
