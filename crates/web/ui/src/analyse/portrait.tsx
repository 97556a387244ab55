/**
 * Portrait of a game by networks: the moves on which the search overruled the policy, the moves on which two networks differ,
 * the rating that each side played like, and the losses of people of a given rating where something was lost.
 */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { stationsOf } from '../chess/position.ts';
import { explain, post } from '../server/request.ts';
import type { Portrait as PortraitView, ReviewPoint } from '../server/types.ts';
import { Segments } from '../shell/segments.tsx';
import { numbered } from './numbers.ts';
import { levelText } from './played-level.ts';
import { useAnalysis } from './store.tsx';
import { Strip, largest } from './strip.tsx';
import type { TreeNode } from './tree.ts';

type Side = 'surprise' | 'networks' | 'people';
const SIDES = [
  ['surprise', 'Surprise'],
  ['networks', 'Two networks'],
  ['people', 'People'],
] as const;

/** Number of moves that are named where two networks differ, and of surprises. */
const NAMED = 4;
const SURPRISES = 3;
/** Surprise from which a move is named, in nats: a prior of a quarter. */
const LEAST_SURPRISE = Math.log(4);
const LEAST_NATS = 0.2;
/** Longest game that the server examines, in half-moves. */
const LONGEST = 400;

export function Portrait() {
  const { line, node, setNode } = useAnalysis('game');
  const { listed: network, second } = useAnalysis('engine');
  const { points } = useAnalysis('review');
  const ply = line[node.ply] === node ? node.ply : 0;
  const [side, setSide] = useState<Side>('surprise');
  const moves = line.slice(1).map((node) => node.uci);
  const wanted = network !== '' && side !== 'surprise' && (side === 'people' || second !== null) && moves.length > 0 && moves.length <= LONGEST;
  const { portrait, problem, busy } = usePortrait(wanted ? { network, second, fen: line[0]?.fen ?? '', moves } : null);
  const choose = (at: number) => {
    const target = line[at];
    if (target) setNode(target);
  };
  return (
    <section class="portrait" aria-label="The game by networks">
      <Segments label="The game by networks" hideLabel={true} options={SIDES} value={side} onChange={setSide} />
      {problem && <p class="problem">{problem}</p>}
      {busy && <p class="note" role="status">Examining {moves.length} moves ...</p>}
      {moves.length > LONGEST && side !== 'surprise' && <p class="note">Games of up to {LONGEST} half-moves are examined.</p>}
      {side === 'surprise' && <Surprises line={line} points={points} ply={ply} onChoose={choose} />}
      {side === 'networks' && !second && <p class="note">Choose a second network (B) to see where it differs from the first.</p>}
      {side === 'networks' && second && portrait && <Splits line={line} portrait={portrait} names={[network, second]} ply={ply} onChoose={choose} />}
      {side === 'people' && portrait && <People portrait={portrait} ply={ply} onChoose={choose} />}
    </section>
  );
}

function usePortrait(request: { network: string; second: string | null; fen: string; moves: string[] } | null) {
  const [state, setState] = useState<{ key: string; portrait: PortraitView | null; problem: string | null } | null>(null);
  const key = request ? JSON.stringify(request) : '';
  useEffect(() => {
    if (!key || state?.key === key) return undefined;
    let replaced = false;
    const done = (portrait: PortraitView | null, problem: string | null) => {
      if (!replaced) setState({ key, portrait, problem });
    };
    const { second, ...rest } = JSON.parse(key) as NonNullable<typeof request>;
    post<PortraitView>('/portraits', { ...rest, ...(second && { second }) }).then(
      (portrait) => done(portrait, null),
      (error: unknown) => done(null, explain(error)),
    );
    return () => {
      replaced = true;
    };
  }, [key]);
  const current = state?.key === key ? state : null;
  return { portrait: current?.portrait ?? null, problem: current?.problem ?? null, busy: key !== '' && current === null };
}

interface PartProps {
  line: readonly TreeNode[];
  ply: number;
  onChoose: (ply: number) => void;
}

/** Surprise of the search's move under the policy, in nats; null if it was the first choice, or nothing is known. */
export function surpriseOf(point: ReviewPoint): number | null {
  if (!point.best || point.best_prior === null || point.best === point.first) return null;
  return -Math.log(Math.max(point.best_prior, 1e-4));
}

function Surprises({ line, points, ply, onChoose }: PartProps & { points: readonly ReviewPoint[] }) {
  const values = points.slice(0, Math.max(0, line.length - 1)).map(surpriseOf);
  const told = points.some((point) => point.first !== null);
  if (!told) {
    return (
      <p class="note">
        {points.length > 0 ? 'The network of this review has no policy, so there is no first choice to compare with.' : "A review shows where its search overruled the network's first sight."}
      </p>
    );
  }
  if (largest(values, 1, LEAST_SURPRISE).length === 0) return <p class="note">At every move the search chose the policy's first move or one of at least 25 %.</p>;
  return <Strip label="How unlikely the search's move looked at first sight" values={values} ply={ply} top={Math.log(100)} onChoose={onChoose} />;
}

/** The moves of the search that looked least likely at first sight, each a click from the board. */
export function SurpriseList() {
  const { line, setNode } = useAnalysis('game');
  const { points } = useAnalysis('review');
  const named = largest(points.slice(0, Math.max(0, line.length - 1)).map(surpriseOf), SURPRISES, LEAST_SURPRISE);
  if (named.length === 0) return null;
  return (
    <section aria-label="Surprises">
      <h3>Surprises</h3>
      <ul class="plain-list named-plies">
        {named.map((at) => {
          const point = points[at] as ReviewPoint;
          const node = line[at] as TreeNode;
          return (
            <li key={at}>
              <button type="button" class="link" onClick={() => setNode(node)}>
                {moveText(node.fen, point.best ?? '')}
              </button>
              <span class="note">
                found by the search; at first sight {Math.max(1, Math.round(100 * (point.best_prior ?? 0)))} %, {sanOf(node.fen, point.first ?? '')} first
                {line[at + 1]?.uci === point.best ? '; it was played' : ''}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Splits({ line, portrait, names, ply, onChoose }: PartProps & { portrait: PortraitView; names: [string, string] }) {
  const values = portrait.plies.map((one) => one.divergence);
  if (values.every((value) => value === null)) return <p class="note">One of the two networks has no policy, so there is nothing to compare.</p>;
  const named = largest(values, NAMED, LEAST_NATS);
  const mean = values.reduce<number>((sum, value) => sum + (value ?? 0), 0) / Math.max(1, values.length);
  return (
    <>
      <Strip label={`How far ${names[1]} differs from ${names[0]}`} values={values} ply={ply} top={Math.max(1, ...values.map((value) => value ?? 0))} onChoose={onChoose} />
      <p class="note">
        {names[0]} and {names[1]} are {mean.toFixed(2)} nats apart on average (0 is the same policy); most of all at
      </p>
      <ul class="plain-list named-plies">
        {named.map((at) => (
          <li key={at}>
            <button type="button" class="link" onClick={() => onChoose(at)}>
              {line[at + 1]?.san ? numbered([line[at + 1]?.san ?? ''], line[at]?.fen ?? '')[0] : 'the end'}
            </button>
            <span class="note">{(values[at] ?? 0).toFixed(2)} nats before it</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Rows with a value for each side. */
export function SidesTable({ children }: { children: ComponentChildren }) {
  return (
    <table class="review-table">
      <thead>
        <tr>
          <td />
          <th scope="col" class="number">White</th>
          <th scope="col" class="number">Black</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

function People({ portrait, ply, onChoose }: { portrait: PortraitView; ply: number; onChoose: (ply: number) => void }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const { people } = portrait;
  if (people.length === 0) return <p class="note">This build has no human-like network.</p>;
  const like = portrait.white?.level?.rating ?? portrait.black?.level?.rating ?? 0;
  const nearest = [...people.keys()].reduce((best, at) => (Math.abs((people[at]?.rating ?? 0) - like) < Math.abs((people[best]?.rating ?? 0) - like) ? at : best), 0);
  const level = chosen ?? nearest;
  return (
    <>
      <SidesTable>
        <tr>
          <th scope="row">Played like</th>
          {[portrait.white, portrait.black].map((style, at) => (
            <td key={at} class="number">
              {levelText(style?.level ?? null)}
            </td>
          ))}
        </tr>
        <tr>
          <th scope="row">Lost a move</th>
          {[portrait.white, portrait.black].map((style, at) => (
            <td key={at} class="number">
              {style ? style.lost.toFixed(1) : ''}
            </td>
          ))}
        </tr>
        <tr>
          <th scope="row">
            <label>
              People of{' '}
              <select value={level} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
                {people.map((one, at) => (
                  <option key={one.network} value={at}>
                    {one.rating}
                  </option>
                ))}
              </select>{' '}
              lose here
            </label>
          </th>
          {[portrait.white, portrait.black].map((style, at) => (
            <td key={at} class="number">
              {style ? (style.expected[level] ?? 0).toFixed(1) : ''}
            </td>
          ))}
        </tr>
      </SidesTable>
      <Strip
        label={`What was lost at each move, and what people of ${people[level]?.rating} lose there`}
        values={portrait.plies.map((one) => one.lost)}
        ticks={portrait.plies.map((one) => one.expected[level] ?? null)}
        ply={ply}
        top={Math.max(20, ...portrait.plies.map((one) => one.lost))}
        onChoose={onChoose}
      />
      <p class="note">
        Bars: points of win percentage lost, by the network's value after each move; ticks: what people of {people[level]?.rating} lose in the same position
        on average, so that a tick above a bar is a difficulty mastered. Ratings are those of the people whom the networks imitate; the ranges hold 95 %, and too few moves, or moves that people of all ratings play alike, have none.
      </p>
    </>
  );
}

function sanOf(fen: string, uci: string): string {
  return stationsOf(fen, [uci])[1]?.san ?? uci;
}

function moveText(fen: string, uci: string): string {
  return numbered([sanOf(fen, uci)], fen)[0] ?? uci;
}
