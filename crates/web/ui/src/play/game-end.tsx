/** The end of a game, and the actions after it. The review of the game starts by itself. */

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { INITIAL_FEN } from '../chess/position.ts';
import { Icon } from '../icons.tsx';
import { go } from '../route.ts';
import { explain, getText, post } from '../server/request.ts';
import type { Colour, GameView, NewGame } from '../server/types.ts';
import type { CurveProps } from './game-curve.tsx';

export function GameEnd(props: CurveProps) {
  const { id, view } = props;
  const [said, setSaid] = useState('');
  const moves = view.moves.length;
  const again = async (colour: Colour) => {
    try {
      const game = await post<GameView>('/games', rematch(view, colour));
      go(`/play/${game.id}`);
    } catch (error) {
      setSaid(explain(error));
    }
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await getText(`/games/${id}/pgn`));
      setSaid('PGN copied.');
    } catch (error) {
      setSaid(`Not copied: ${explain(error)}`);
    }
  };
  const other: Colour = view.person === 'white' ? 'black' : 'white';
  return (
    <section class="game-end" aria-label="Result">
      <p class="result-line">
        <b>{view.end?.text}</b> <span class="figure">{view.end?.result}</span>
      </p>
      <div class="button-row">
        <a class="button" href={`/analyse/${id}`}>
          <Icon name="review" /> Review
        </a>
        <button type="button" class="primary" onClick={() => void again(view.person)}>
          Rematch
        </button>
        <button type="button" onClick={() => void again(other)}>
          Swap sides
        </button>
        <button type="button" onClick={() => void copy()}>
          <Icon name="copy" /> Copy PGN
        </button>
        <a class="button" href={`/api/v1/games/${id}/pgn`} download={`tabiya-${id}.pgn`}>
          <Icon name="import" /> Download
        </a>
        <a class="button" href="/?new=1">
          New game
        </a>
      </div>
      {moves > 0 && <Curve {...props} />}
      <p class="note" role="status">
        {said}
      </p>
    </section>
  );
}

/** The curve of the game, once its code has loaded. It has its place before. */
function Curve(props: CurveProps) {
  const [loaded, setLoaded] = useState<{ View: ComponentType<CurveProps> } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    import('./game-curve.tsx').then(
      ({ GameCurve }) => setLoaded({ View: GameCurve }),
      (error: unknown) => setProblem(explain(error)),
    );
  }, []);
  if (loaded) return <loaded.View {...props} />;
  return (
    <>
      <div class="graph-panel">
        <div class="graph" />
      </div>
      <p class="note">{problem && `The curve of the game could not be loaded: ${problem}`}</p>
    </>
  );
}

/** A new game like this one, with the person playing `colour`. */
export function rematch(view: GameView, colour: Colour): NewGame {
  const { opponent, clock } = view;
  const request: NewGame = { color: colour, network: opponent.network, temperature: opponent.temperature };
  if (opponent.nodes !== null) request.nodes = opponent.nodes;
  if (opponent.move_time_ms !== null) request.move_time_ms = opponent.move_time_ms;
  if (opponent.level !== null) request.level = opponent.level;
  if (clock) request.clock = { initial_ms: clock.initial_ms, increment_ms: clock.increment_ms };
  if (opponent.human_time) request.human_time = true;
  if (view.draws_by_claim) request.draws_by_claim = true;
  if (view.start_fen !== INITIAL_FEN) request.fen = view.start_fen;
  return request;
}
