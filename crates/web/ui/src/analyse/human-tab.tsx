/**
 * The tab "Human": the moves that networks imitating people of a given rating would play here, and how often people of that
 * rating go wrong. Only networks that imitate people can answer; without one, the tab names the folder and the page that take
 * one (`no-people.tsx`).
 */

import { useEffect, useState } from 'preact/hooks';
import { FAMILIES, type Family, familyOf } from '../networks/family.ts';
import { explain, post } from '../server/request.ts';
import type { FirstSight, NetworkJudgement, NetworkSummary, TracedMove } from '../server/types.ts';
import { Segments } from '../shell/segments.tsx';
import { AgainstPeople } from './against-people.tsx';
import { HumanCurves } from './human-curves.tsx';
import { NoPeople } from './no-people.tsx';
import { type View, percentOf } from './numbers.ts';

interface Props {
  /** Rating of the side to move, if the game's headers have it. */
  rating: number | null;
  /** Rating of the other side, likewise. */
  opponent: number | null;
  /** The network whose values are used. */
  network: string;
  whiteToMove: boolean;
  view: View;
  networks: NetworkSummary[];
  start: string;
  moves: string[];
  /** The moves of the search, which show what each move loses; null without a search. */
  traced: TracedMove[] | null;
  onHover: (uci: string | null) => void;
  onMove: (uci: string) => void;
}

/** Number of moves that get a row of their own. */
const ROWS = 6;
/** Stands for the answer of a network that has not answered yet. */
const NOTHING: FirstSight = { wdl: null, moves: [] };
/** Number of moves of the search among those that are compared against people. */
const SEARCHED = 3;

export function HumanTab({ rating, opponent, network, whiteToMove, view, networks, start, moves, traced, onHover, onMove }: Props) {
  const [chosen, setFamily] = useState<Family>('built in');
  const imitators = networks.filter((network) => network.kind === 'human');
  const families = FAMILIES.filter((one) => imitators.some((network) => familyOf(network) === one));
  const family = families.includes(chosen) ? chosen : families[0];
  const people = imitators.filter((network) => familyOf(network) === family).sort((first, second) => (first.rating ?? 0) - (second.rating ?? 0));
  const ids = people.map((network) => network.id).join(' ');
  const position = `${start} ${moves.join(' ')}`;
  const [judged, setJudged] = useState<{ position: string; networks: NetworkJudgement[] } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (!ids) return undefined;
    let replaced = false;
    post<NetworkJudgement[]>('/judgements', { networks: ids.split(' '), positions: [{ fen: start, moves }] }).then(
      (answers) => {
        if (!replaced) setJudged({ position, networks: answers });
      },
      (error: unknown) => {
        if (!replaced) setProblem(explain(error));
      },
    );
    return () => {
      replaced = true;
    };
  }, [ids, position]);
  if (networks.length === 0) return null;
  if (people.length === 0) return <NoPeople />;
  if (problem) return <p class="problem">{problem}</p>;
  const levels = people.flatMap((network) => {
    const answer = judged?.networks.find((one) => one.network === network.id);
    // Before the first answer every level has its column and its place on the axis, so that nothing moves when it comes.
    const sight = judged ? answer?.positions[0] : NOTHING;
    return sight ? [{ name: network.rating ? String(network.rating) : network.name, rating: network.rating, sight, problem: answer?.problem ?? null }] : [];
  });
  const fresh = judged?.position === position;
  const total = new Map<string, { san: string; sum: number }>();
  for (const { sight } of levels) {
    for (const { uci, san, prior } of sight.moves) total.set(uci, { san, sum: (total.get(uci)?.sum ?? 0) + prior });
  }
  const rows = [...total].sort(([, first], [, second]) => second.sum - first.sum).slice(0, ROWS);
  const share = (level: (typeof levels)[number], uci: string) => level.sight.moves.find((move) => move.uci === uci)?.prior ?? 0;
  const losses = lossesOf(traced);
  return (
    <div class="human" data-stale={fresh ? undefined : true}>
      {families.length > 1 && (
        <Segments label="Networks" hideLabel={true} options={families.map((one) => [one, FAMILY_NAMES[one]] as const)} value={family as Family} onChange={setFamily} />
      )}
      <HumanCurves
        ratings={levels.map((level) => level.rating)}
        moves={rows.map(([uci, { san }]) => ({ uci, san, shares: levels.map((level) => share(level, uci)) }))}
        own={rating}
        onHover={onHover}
      />
      <div class="table-scroll" tabIndex={0} role="region" aria-label="What people play">
        <table class="human-table">
          <thead>
            <tr>
              <th scope="col">% of people rated</th>
              {levels.map((level) => (
                <th key={level.name} scope="col" class="number" title="Share of people of this rating who play the move">
                  {level.name}
                </th>
              ))}
              <th scope="col" class="number" title="Points of win percentage lost against the best move of the search">
                loses
              </th>
            </tr>
          </thead>
          <tbody onPointerLeave={() => onHover(null)}>
            {!judged && Array.from({ length: ROWS }, (_, row) => <tr key={row} class="human-awaited"><th scope="row">…</th></tr>)}
            {rows.map(([uci, { san }], row) => (
              <tr key={uci} class={`series-${(row % 6) + 1}`} onPointerEnter={() => onHover(uci)}>
                <th scope="row">
                  <button type="button" class="move" onClick={() => onMove(uci)} onFocus={() => onHover(uci)} onBlur={() => onHover(null)}>
                    {san}
                  </button>
                </th>
                {levels.map((level) => (
                  <td key={level.name} class="number">
                    {Math.round(100 * share(level, uci))}
                  </td>
                ))}
                <td class="number">{losses.has(uci) ? (losses.get(uci) as number).toFixed(1) : ''}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            {TRAPS.map(([name, least, most]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {levels.map((level) => {
                  const mass = level.sight.moves.reduce((sum, move) => {
                    const loss = losses.get(move.uci);
                    return loss !== undefined && loss >= least && loss < most ? sum + move.prior : sum;
                  }, 0);
                  return (
                    <td key={level.name} class="number">
                      {losses.size > 0 ? Math.round(100 * mass) : ''}
                    </td>
                  );
                })}
                <td />
              </tr>
            ))}
          </tfoot>
        </table>
      </div>
      <p class="note">
        The last rows are the trap meter: how often people of that rating play a move here that costs this many percentage points of win probability. The engine judges the moves while it is on.
      </p>
      {fresh && (
        <AgainstPeople
          people={people}
          network={network}
          opponent={opponent}
          start={start}
          moves={moves}
          candidates={candidatesOf(traced, rows)}
          whiteToMove={whiteToMove}
          view={view}
          onHover={onHover}
          onMove={onMove}
        />
      )}
    </div>
  );
}

const TRAPS: [string, number, number][] = [
  ['lose <\u00a05', 0, 5],
  ['lose 5–\u206010', 5, 10],
  ['lose 10+', 10, Infinity],
];

/** Moves worth comparing: those that people play most, and those that a search visits most. */
function candidatesOf(traced: TracedMove[] | null, rows: readonly (readonly [string, { san: string }])[]): { uci: string; san: string }[] {
  const searched = (traced ?? []).filter((move) => move.visits > 0).slice(0, SEARCHED);
  const played = rows.filter(([uci]) => !searched.some((move) => move.uci === uci)).map(([uci, { san }]) => ({ uci, san }));
  return [...searched.map(({ uci, san }) => ({ uci, san })), ...played];
}

/** Loss of each visited move against the best one. */
function lossesOf(traced: TracedMove[] | null): Map<string, number> {
  const visited = (traced ?? []).filter((move) => move.visits > 0 && move.wdl);
  const best = visited.reduce((most, move) => Math.max(most, move.wdl ? percentOf(move.wdl) : 0), 0);
  return new Map(visited.map((move) => [move.uci, Math.max(0, best - (move.wdl ? percentOf(move.wdl) : 0))]));
}

const FAMILY_NAMES: Record<Family, string> = { 'built in': 'Built in', files: 'Files (Maia and others)', personal: 'One person' };
