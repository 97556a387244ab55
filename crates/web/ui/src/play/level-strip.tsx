/** The levels at the places of their ratings, the chosen one with the interval of its measurement as a band. */

import type { Level } from '../server/types.ts';

interface Props {
  levels: readonly Level[];
  chosen: number;
  onChoose: (index: number) => void;
}

const SIZE = { width: 480, height: 46, side: 14, line: 18 };
/** Ratings with a figure below the line. */
const TICK = 500;

export function LevelStrip({ levels, chosen, onChoose }: Props) {
  const measured = levels.flatMap(({ name, measurement }, index) => (measurement ? [{ name, index, measurement }] : []));
  const [lowest, highest] = [measured[0]?.measurement.elo, measured.at(-1)?.measurement.elo];
  // Before the levels are here the strip has its height already.
  if (lowest === undefined || highest === undefined || lowest >= highest) return <div class="level-strip" />;
  const x = (elo: number) => SIZE.side + ((SIZE.width - 2 * SIZE.side) * (Math.max(lowest, Math.min(highest, elo)) - lowest)) / (highest - lowest);
  const now = measured.find(({ index }) => index === chosen);
  const ticks = Array.from({ length: 8 }, (_, index) => TICK * (index + 1)).filter((elo) => elo >= lowest && elo <= highest);
  return (
    <svg class="level-strip" viewBox={`0 0 ${SIZE.width} ${SIZE.height}`} aria-hidden="true">
      <line class="strip-line" x1={SIZE.side} x2={SIZE.width - SIZE.side} y1={SIZE.line} y2={SIZE.line} />
      {ticks.map((elo) => (
        <text key={elo} x={x(elo)} y={SIZE.height - 4} text-anchor="middle">
          {elo}
        </text>
      ))}
      {now && <rect class="strip-band" x={x(now.measurement.low)} width={Math.max(2, x(now.measurement.high) - x(now.measurement.low))} y={SIZE.line - 9} height={18} rx={3} />}
      {measured.map(({ name, index, measurement }) => (
        <g key={name} class="strip-mark" data-chosen={index === chosen || undefined} onClick={() => onChoose(index)}>
          <title>{`${name}: ${Math.round(measurement.elo)} (${Math.round(measurement.low)} to ${Math.round(measurement.high)})`}</title>
          <circle cx={x(measurement.elo)} cy={SIZE.line} r={index === chosen ? 7 : 5} />
          <rect class="strip-target" x={x(measurement.elo) - 10} y={0} width={20} height={36} />
        </g>
      ))}
    </svg>
  );
}
