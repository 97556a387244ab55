/** Bars along a game, one per half-move, on the curve's own scale. A click goes to the half-move. */

interface Props {
  /** Description of the drawing for readers who cannot see it. */
  label: string;
  /** One per half-move; null where nothing is known. */
  values: readonly (number | null)[];
  /** A second value to compare with, drawn as a tick. */
  ticks?: readonly (number | null)[];
  /** Half-moves played before the position on the board. */
  ply: number;
  /** The value at the top; values above it are clipped. */
  top: number;
  onChoose: (ply: number) => void;
}

const WIDTH = 600;
const HEIGHT = 56;

export function Strip({ label, values, ticks, ply, top, onChoose }: Props) {
  const step = WIDTH / Math.max(1, values.length);
  const height = (value: number) => HEIGHT * Math.min(1, value / top);
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      onClick={(event) => {
        const { left, width } = event.currentTarget.getBoundingClientRect();
        onChoose(Math.max(0, Math.min(values.length - 1, Math.floor(((event.clientX - left) / width) * values.length))));
      }}
    >
      {values.map((value, at) => value !== null && value > 0 && <rect key={at} class={at % 2 ? 'odd' : 'even'} x={at * step} y={HEIGHT - height(value)} width={Math.max(1, step - 1)} height={height(value)} />)}
      {ticks?.map((value, at) => value !== null && <line key={at} x1={at * step} x2={(at + 1) * step - 1} y1={HEIGHT - height(value)} y2={HEIGHT - height(value)} />)}
      <line class="graph-cursor" x1={ply * step} x2={ply * step} y1={0} y2={HEIGHT} />
    </svg>
  );
}

/** The plies with the largest values, largest first. */
export function largest(values: readonly (number | null)[], count: number, least: number): number[] {
  const plies = [...values.keys()].filter((ply) => (values[ply] ?? 0) >= least);
  return plies.sort((one, other) => (values[other] ?? 0) - (values[one] ?? 0)).slice(0, count);
}
