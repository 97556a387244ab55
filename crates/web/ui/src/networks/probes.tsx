/** Judgements of the same eight positions by every network: its policy and its value. */

import { useEffect, useState } from 'preact/hooks';
import type { Arrow } from '../analyse/arrows.tsx';
import { wholePercents } from '../analyse/numbers.ts';
import { MiniBoard } from '../board/mini.tsx';
import { explain, post } from '../server/request.ts';
import type { FirstSight, NetworkJudgement } from '../server/types.ts';
import { rightSquares } from './right-moves.ts';

export interface Probe {
  name: string;
  fen: string;
}

/** Positions set up for this page: a first move, theory, tactics of one and two moves, endgames every player knows. */
export const PROBES: Probe[] = [
  { name: 'First move', fen: 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' },
  { name: 'Sicilian, fifth move', fen: 'rnbqkb1r/pp2pppp/3p1n2/8/3NP3/8/PPP2PPP/RNBQKB1R w KQkq - 1 5' },
  { name: 'Mate in one', fen: '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1' },
  { name: 'A queen hangs', fen: 'rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3' },
  { name: 'A fork', fen: 'r3k2r/ppp2ppp/8/3N4/8/8/PPP2PPP/R3K2R w KQkq - 0 1' },
  { name: 'Pawn up, queens on', fen: '3q2k1/5ppp/8/8/8/P7/5PPP/3Q2K1 w - - 0 1' },
  { name: 'Lucena', fen: '1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1' },
  { name: 'The opposition', fen: '8/8/4k3/8/4K3/4P3/8/8 w - - 0 1' },
];

/** Number of arrows of a network in a position. */
const ARROWS = 3;
const KINDS = ['net-a', 'net-b'] as const;

export interface ProbedNetwork {
  id: string;
  name: string;
}

/** Judgements of the probe positions by one or two networks. */
export function Probes({ networks }: { networks: ProbedNetwork[] }) {
  const { judged, problem } = useFirstSights(networks.map((network) => network.id));
  if (problem) return <p class="problem">{problem}</p>;
  return (
    <div class="probes">
      {PROBES.map((probe, index) => (
        <figure key={probe.name}>
          <figcaption>{probe.name}</figcaption>
          <MiniBoard
            fen={probe.fen}
            label={`${probe.name}: ${networks.map((network, at) => `${network.name} ${firstMoves(judged?.[at]?.positions[index])}`).join('; ')}`}
            arrows={networks.flatMap((_, at) => sightArrows(judged?.[at]?.positions[index], KINDS[at] ?? 'net-a'))}
            ticks={rightSquares(probe.fen)}
          />
          {networks.map((network, at) => (
            <p key={network.id} class={`figure note probe-${KINDS[at]}`}>
              {networks.length > 1 && <b>{at === 0 ? 'A ' : 'B '}</b>}
              {[valueLine(judged?.[at]?.positions[index], probe.fen), missing(judged?.[at])].filter(Boolean).join(', ') || '\u00a0'}
            </p>
          ))}
        </figure>
      ))}
    </div>
  );
}

/** First sights of the probe positions, one list per network; requested again when the networks change. */
export function useFirstSights(ids: readonly string[]): { judged: NetworkJudgement[] | null; problem: string | null } {
  const [judged, setJudged] = useState<NetworkJudgement[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const asked = ids.join(' ');
  useEffect(() => {
    if (!asked) return undefined;
    let replaced = false;
    const request = { networks: [...ids], positions: PROBES.map(({ fen }) => ({ fen })) };
    post<NetworkJudgement[]>('/judgements', request).then(
      (answers) => {
        if (replaced) return;
        setJudged(answers);
        setProblem(answers.find((answer) => answer.problem)?.problem ?? null);
      },
      (error: unknown) => {
        if (!replaced) setProblem(explain(error));
      },
    );
    return () => {
      replaced = true;
    };
  }, [asked]);
  return { judged, problem };
}

/** One network's judgement of a position, on a board, with a sentence below. */
export function SightBoard({ name, fen, wdl, moves, sentence }: { name: string; fen: string; sentence: string } & FirstSight) {
  const sight = { wdl, moves };
  return (
    <figure>
      <figcaption>{name}</figcaption>
      <MiniBoard fen={fen} label={`${name}: ${firstMoves(sight)}`} arrows={sightArrows(sight, 'net-a')} ticks={rightSquares(fen)} />
      <p class="sight-sentence">{sentence}</p>
      <p class="figure note probe-net-a">
        {[valueLine(sight, fen), missing({ has_policy: moves.length > 0, has_value: wdl !== null })].filter(Boolean).join(', ')}
      </p>
    </figure>
  );
}

/** The heads that a network lacks. */
function missing(judgement: Pick<NetworkJudgement, 'has_policy' | 'has_value'> | undefined): string {
  return [judgement?.has_policy === false && 'no policy', judgement?.has_value === false && 'no value'].filter(Boolean).join(', ');
}

/** What a network would play at first sight, the likeliest move last so that it lies on top. */
export function sightArrows(sight: FirstSight | undefined, kind: 'net-a' | 'net-b'): Arrow[] {
  const moves = sight?.moves.filter((move) => move.prior >= 0.05).slice(0, ARROWS) ?? [];
  return [...moves].reverse().map((move) => ({
    id: `${kind}-${move.uci}`,
    uci: move.uci,
    kind,
    width: 0.06 + 0.16 * move.prior,
    opacity: 1,
    label: String(Math.round(100 * move.prior)),
  }));
}

function firstMoves(sight: FirstSight | undefined): string {
  return (sight?.moves ?? [])
    .slice(0, ARROWS)
    .map((move) => `${move.san} ${Math.round(100 * move.prior)} %`)
    .join(', ');
}

function valueLine(sight: FirstSight | undefined, fen: string): string {
  if (!sight?.wdl) return '';
  const [win, draw, loss] = sight.wdl;
  const black = fen.split(' ')[1] === 'b';
  const [white, drawn, lost] = wholePercents(black ? { win: loss, draw, loss: win } : { win, draw, loss });
  return `W ${white} D ${drawn} L ${lost}`;
}
