/** The end of a game, and the actions after it. The review of the game starts by itself. */

import { useEffect, useState } from 'preact/hooks';
import { Graph, valuesOf } from '../analyse/graph.tsx';
import { useReview } from '../analyse/use-review.ts';
import { INITIAL_FEN, type Station } from '../chess/position.ts';
import { Icon } from '../icons.tsx';
import { go } from '../route.ts';
import { explain, getText, post } from '../server/request.ts';
import type { Colour, GameView, NewGame } from '../server/types.ts';

interface Props {
  id: string;
  view: GameView;
  stations: Station[];
  ply: number;
  /** True if this page saw the game being played: looking at an old game does not start any work. */
  watched: boolean;
  onChoose: (ply: number) => void;
}

export function GameEnd({ id, view, stations, ply, watched, onChoose }: Props) {
  const [said, setSaid] = useState('');
  const moves = view.moves.map((move) => move.uci);
  const { review, start } = useReview(view.start_fen, moves);
  useEffect(() => {
    if (watched && moves.length > 0) void start({});
  }, [id]);
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
      {/* The results of the review have their place before they arrive. */}
      {moves.length > 0 && (
        <div class="graph-panel">
          <Graph
            values={valuesOf(review?.points ?? [], moves.length + 1)}
            ply={ply}
            moveName={(at) => (at === 0 ? 'Start' : `${Math.ceil(at / 2)}${at % 2 ? '.' : '...'} ${stations[at]?.san ?? ''}`)}
            onChoose={onChoose}
          />
          {!review && <p class="graph-empty note">A review draws White's chances over the game here.</p>}
        </div>
      )}
      {moves.length > 0 && (
        <p class="accuracies note figure">
          {review?.white && review.black && `Accuracy: White ${review.white.accuracy?.toFixed(0) ?? '-'} %, Black ${review.black.accuracy?.toFixed(0) ?? '-'} % (${review.nodes} nodes a position)`}
        </p>
      )}
      <p class="note" role="status">
        {said}
      </p>
    </section>
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
