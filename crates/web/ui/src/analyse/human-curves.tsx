/**
 * Frequency with which people play each move, over their rating: one curve per move, and a rule at the rating of the player in
 * the game. Below each rating the trap meter: a bar of the moves that lose little, more, and much.
 */

interface Props {
  /** Ratings of the levels, in order; null if unknown: such a level has no place on the axis. */
  ratings: readonly (number | null)[];
  moves: readonly { uci: string; san: string; shares: readonly number[] }[];
  /** Rating of the player to move. */
  own: number | null;
  /** The trap meter of each level; empty while nothing is searched. */
  traps: readonly (readonly number[])[];
  onHover: (uci: string | null) => void;
}

const SIZE = { width: 560, height: 160, left: 42, right: 56, top: 18, bottom: 38 };
/** The bars of the trap meter. */
const BAR = { y: 147, width: 44, height: 9 };
/** Smallest distance between two names at the right end. */
const LINE = 13;

export function HumanCurves({ ratings, moves, own, traps, onHover }: Props) {
  const known = ratings.flatMap((rating, index) => (rating === null ? [] : [{ rating, index }]));
  const [first, last] = [known[0]?.rating, known.at(-1)?.rating];
  if (first === undefined || last === undefined || first === last) return null;
  const most = Math.max(0.1, ...moves.flatMap((move) => known.map(({ index }) => move.shares[index] ?? 0)));
  const top = Math.min(1, Math.ceil(10 * most) / 10);
  const x = (rating: number) => SIZE.left + ((SIZE.width - SIZE.left - SIZE.right) * (rating - first)) / (last - first);
  const y = (share: number) => SIZE.top + (SIZE.height - SIZE.top - SIZE.bottom) * (1 - share / top);
  const end = known.at(-1)?.index ?? 0;
  const names = placed(moves.map((move) => y(move.shares[end] ?? 0)));
  return (
    <svg class="human-curves" viewBox={`0 0 ${SIZE.width} ${SIZE.height}`} role="img" aria-label="Share of people who play each move, over their rating; the table has the figures" onPointerLeave={() => onHover(null)}>
      {[0, top / 2, top].map((share) => (
        <g key={share}>
          <line class="plot-rule" x1={SIZE.left} x2={SIZE.width - SIZE.right} y1={y(share)} y2={y(share)} />
          <text x={SIZE.left - 4} y={y(share) + 4} text-anchor="end">
            {Math.round(100 * share)} %
          </text>
        </g>
      ))}
      {known.map(({ rating }) => (
        <text key={rating} x={x(rating)} y={SIZE.height - SIZE.bottom + 14} text-anchor="middle">
          {rating}
        </text>
      ))}
      {own !== null && own >= first && own <= last && (
        <g class="human-own">
          <line x1={x(own)} x2={x(own)} y1={SIZE.top} y2={SIZE.height - SIZE.bottom} />
          <text x={x(own)} y={SIZE.top - 6} text-anchor={own > (first + last) / 2 ? 'end' : 'start'}>
            this player, {own}
          </text>
        </g>
      )}
      {moves.map((move, index) => (
        <g key={move.uci} class={`series-${(index % 6) + 1}`} onPointerEnter={() => onHover(move.uci)}>
          <polyline points={known.map((level) => `${x(level.rating).toFixed(1)},${y(move.shares[level.index] ?? 0).toFixed(1)}`).join(' ')} />
          <text class="human-name" x={SIZE.width - SIZE.right + 6} y={(names[index] ?? 0) + 4}>
            {move.san}
          </text>
        </g>
      ))}
      <Traps bars={traps.length > 0 ? known.map(({ rating, index }) => ({ at: x(rating), shares: traps[index] ?? [] })) : []} />
    </svg>
  );
}

function Traps({ bars }: { bars: readonly { at: number; shares: readonly number[] }[] }) {
  const [middle, y] = [SIZE.width / 2, BAR.y + BAR.height];
  if (bars.length === 0) {
    return (
      <text x={middle} y={y} text-anchor="middle">
        the trap meter needs the engine (l)
      </text>
    );
  }
  const width = Math.min(BAR.width, (0.8 * (SIZE.width - SIZE.left - SIZE.right)) / (bars.length - 1));
  return (
    <g class="trap-meter">
      {bars.map(({ at, shares }) => (
        <g key={at}>
          <rect x={at - width / 2} y={BAR.y} width={width} height={BAR.height} />
          {shares.map((share, part) => (
            <rect key={part} class={`trap-${part}`} x={at - width / 2 + width * shares.slice(0, part).reduce((sum, one) => sum + one, 0)} y={BAR.y} width={width * share} height={BAR.height} />
          ))}
        </g>
      ))}
      <text x={SIZE.width - 2} y={y} text-anchor="end">
        traps
      </text>
    </g>
  );
}

/** Heights at which the names keep their order and do not touch. */
function placed(ends: readonly number[]): number[] {
  const order = ends.map((_, index) => index).sort((one, other) => (ends[one] ?? 0) - (ends[other] ?? 0));
  const places = [...ends];
  let below = SIZE.height - SIZE.bottom + LINE;
  for (const index of [...order].reverse()) {
    below = Math.min(ends[index] ?? 0, below - LINE);
    places[index] = below;
  }
  let above = SIZE.top - LINE;
  for (const index of order) {
    above = Math.max(places[index] ?? 0, above + LINE);
    places[index] = above;
  }
  return places;
}
