/** Three circles: where a player and two references play the same move, and where only two of the three do. */

import { type Overlap, overlapOf } from './statistics.ts';

interface OverlapProps {
  player: string;
  positions: number;
  counts: [number, number, number, number];
  /** The share of positions in which the references agree. */
  referencesAgree: number;
}

const WIDTH = 420;
const HEIGHT = 306;
const RADIUS = 88;
/** Centres of the circles of the player and the two references. */
const CENTRES = [
  [210, 110],
  [160, 190],
  [260, 190],
] as const;

/** The circles are of equal size; the numbers in them are numbers of positions. */
export function OverlapCircles({ player, positions, counts, referencesAgree }: OverlapProps) {
  const overlap = overlapOf(counts, positions, referencesAgree);
  const names = [player, 'first reference', 'second reference'];
  return (
    <figure class="plot overlap">
      <figcaption>
        <b>Equal moves</b>
        {names.map((name, index) => (
          <span key={name} class={`plot-name series-${index + 1}`}>
            {name}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={describe(player, overlap)}>
        {CENTRES.map(([x, y], index) => (
          <circle key={x} class={`series-${index + 1}`} cx={x} cy={y} r={RADIUS} />
        ))}
        <Count x={210} y={164} count={overlap.all} />
        <Count x={160} y={142} count={overlap.playerAndFirst} />
        <Count x={260} y={142} count={overlap.playerAndSecond} />
        <Count x={210} y={214} count={overlap.references} />
        <text x={WIDTH / 2} y={HEIGHT - 6} text-anchor="middle">
          three different moves in {overlap.different.toFixed(0)} of {positions.toLocaleString('en')} positions
        </text>
      </svg>
    </figure>
  );
}

function Count({ x, y, count }: { x: number; y: number; count: number }) {
  return (
    <text x={x} y={y} text-anchor="middle">
      {count.toFixed(0)}
    </text>
  );
}

function describe(player: string, overlap: Overlap): string {
  const parts = [
    `all three ${overlap.all.toFixed(0)}`,
    `${player} and the first reference ${overlap.playerAndFirst.toFixed(0)}`,
    `${player} and the second ${overlap.playerAndSecond.toFixed(0)}`,
    `the references alone ${overlap.references.toFixed(0)}`,
    `three different moves ${overlap.different.toFixed(0)}`,
  ];
  return `Positions with equal moves: ${parts.join(', ')}`;
}
