/**
 * The tab "Human": the moves that networks imitating people of a given rating would play here, and how often people of that
 * rating go wrong. Only networks that imitate people can answer; without one, the tab names the folder and the page that take
 * one (`no-people.tsx`).
 */

import { useEffect, useState } from 'preact/hooks';
import { type Family, familiesOf, familyOf, fileOf } from '../networks/family.ts';
import { explain, post } from '../server/request.ts';
import type { FirstSight, NetworkJudgement, TracedMove } from '../server/types.ts';
import { Segments } from '../shell/segments.tsx';
import { AgainstPeople } from './against-people.tsx';
import { HumanCurves } from './human-curves.tsx';
import { HumanTable, type Level, type Row, lossesOf, shareOf, trapsOf } from './human-table.tsx';
import { NoPeople } from './no-people.tsx';
import { useAnalysis } from './store.tsx';

/** Number of moves that get a row of their own. */
const ROWS = 6;
/** Stands for the answer of a network that has not answered yet. */
const NOTHING: FirstSight = { wdl: null, moves: [] };
/** Number of moves of the search among those that are compared against people. */
const SEARCHED = 3;

function nameOf(family: Family): string {
  if (family === 'built in') return 'Built in';
  return family === 'personal' ? 'One person' : (fileOf(family) ?? 'Files (Maia and others)');
}

export function HumanTab() {
  const { tree, start, moves, whiteToMove } = useAnalysis('game');
  const { networks } = useAnalysis('engine');
  const { trace } = useAnalysis('search');
  const { hover } = useAnalysis('point');
  const [chosen, setFamily] = useState<Family>('built in');
  const imitators = networks.filter((network) => network.kind === 'human');
  const families = familiesOf(imitators.map(familyOf));
  const family = families.includes(chosen) ? chosen : families[0];
  const people = imitators.filter((network) => familyOf(network) === family).sort((first, second) => (first.rating ?? 0) - (second.rating ?? 0));
  const { judged, fresh, problem } = useJudgements(people.map((network) => network.id).join('\n'), start, moves);
  if (networks.length === 0) return null;
  if (people.length === 0) return <NoPeople />;
  if (problem) return <p class="problem">{problem}</p>;
  const levels: Level[] = people.flatMap((network) => {
    const answer = judged?.find((one) => one.network === network.id);
    // Before the first answer every level has its column and its place on the axis, so that nothing moves when it comes.
    const sight = judged ? answer?.positions[0] : NOTHING;
    return sight ? [{ name: network.rating ? String(network.rating) : network.name, rating: network.rating, sight }] : [];
  });
  const rows = rowsOf(levels);
  const traced = trace?.moves ?? [];
  const losses = lossesOf(traced);
  return (
    <div class="human" data-stale={fresh ? undefined : true}>
      {families.length > 1 && (
        <Segments label="Networks" hideLabel={true} options={families.map((one) => [one, nameOf(one)] as const)} value={family as Family} onChange={setFamily} />
      )}
      <HumanCurves
        ratings={levels.map((level) => level.rating)}
        moves={rows.map(({ uci, san }) => ({ uci, san, shares: levels.map((level) => shareOf(level, uci)) }))}
        own={ratingOf(tree.headers, whiteToMove)}
        traps={losses.size > 0 ? levels.map((level) => trapsOf(level, losses)) : []}
        onHover={hover}
      />
      <AgainstPeople people={people} opponent={ratingOf(tree.headers, !whiteToMove)} candidates={fresh ? candidatesOf(traced, rows) : null} />
      <HumanTable levels={levels} rows={rows} awaited={judged ? 0 : ROWS} losses={losses} />
      <p class="note">
        The bars below the curves are the trap meter: how often people of that rating play a move here that costs less than 5, 5 to 10, or 10 and more points of win percentage. The last rows of the table have the figures.
      </p>
    </div>
  );
}

/** What networks would play at first sight; the previous position's answers stay until the new ones are there. */
function useJudgements(ids: string, start: string, moves: string[]) {
  const position = `${start} ${moves.join(' ')}`;
  const [judged, setJudged] = useState<{ position: string; networks: NetworkJudgement[] } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (!ids) return undefined;
    let replaced = false;
    post<NetworkJudgement[]>('/judgements', { networks: ids.split('\n'), positions: [{ fen: start, moves }] }).then(
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
  return { judged: judged?.networks ?? null, fresh: judged?.position === position, problem };
}

/** A side's rating, if the headers of the game have it. */
function ratingOf(headers: ReadonlyMap<string, string>, white: boolean): number | null {
  return Number(headers.get(white ? 'WhiteElo' : 'BlackElo')) || null;
}

/** The moves that people play most. */
function rowsOf(levels: readonly Level[]): Row[] {
  const total = new Map<string, { uci: string; san: string; sum: number }>();
  for (const { sight } of levels) {
    for (const { uci, san, prior } of sight.moves) total.set(uci, { uci, san, sum: (total.get(uci)?.sum ?? 0) + prior });
  }
  return [...total.values()].sort((first, second) => second.sum - first.sum).slice(0, ROWS);
}

/** Moves worth comparing: those that people play most, and those that a search visits most. */
function candidatesOf(traced: readonly TracedMove[], rows: readonly Row[]): { uci: string; san: string }[] {
  const searched = traced.filter((move) => move.visits > 0).slice(0, SEARCHED);
  const played = rows.filter(({ uci }) => !searched.some((move) => move.uci === uci));
  return [...searched, ...played].map(({ uci, san }) => ({ uci, san }));
}
