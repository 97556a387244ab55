/** A match as a row: counts, score, and the rating difference with its interval drawn. */

export interface MatchReport {
  conditions: { players: { name: string; pace: string }[]; openings: string; machine: string };
  games: { wins: number; draws: number; losses: number };
  elo: { elo: number | null; lower: number | null; upper: number | null; superiority: number } | null;
}

/** The scale of the drawing, Elo to each side. */
const REACH = 400;

export function MatchRow({ id, report }: { id: string; report: MatchReport }) {
  const [first, second] = report.conditions.players;
  const { wins, draws, losses } = report.games;
  const games = wins + draws + losses;
  const score = games > 0 ? (wins + draws / 2) / games : 0;
  const elo = report.elo;
  const value = elo?.elo ?? null;
  // An end without a number is unbounded: one side has won every game.
  const low = elo?.lower ?? -Infinity;
  const high = elo?.upper ?? Infinity;
  const known = elo !== null && (elo.lower !== null || elo.upper !== null);
  return (
    <tr>
      <th scope="row">
        {first?.name ?? '?'} <span class="note">against</span> {second?.name ?? '?'}
        <br />
        <span class="note">
          {id} · {first?.pace} · {report.conditions.openings}
        </span>
      </th>
      <td class="number">{games}</td>
      <td class="number">
        {wins} / {draws} / {losses}
      </td>
      <td class="number">{(100 * score).toFixed(1)} %</td>
      <td class="number">
        {known ? (
          <>
            {value === null ? '' : signed(value)} ({signed(low)} to {signed(high)})<br />
            {low <= 0 && high >= 0 && <span class="note">unclear: 0 is inside</span>}
          </>
        ) : (
          'no interval'
        )}
      </td>
      <td>{known && <Interval value={value} low={low} high={high} />}</td>
    </tr>
  );
}

function Interval({ value, low, high }: { value: number | null; low: number; high: number }) {
  const at = (elo: number) => 100 + (100 * Math.max(-REACH, Math.min(REACH, elo))) / REACH;
  return (
    <svg class="interval" viewBox="0 0 200 20" width="200" height="20" role="img" aria-label={`${value === null ? 'no estimate' : signed(value)}, from ${signed(low)} to ${signed(high)}`}>
      <line class="interval-zero" x1="100" x2="100" y1="0" y2="20" />
      <line class="interval-range" x1={at(low)} x2={at(high)} y1="10" y2="10" />
      {value !== null && <circle class="interval-value" cx={at(value)} cy="10" r="4" />}
    </svg>
  );
}

function signed(elo: number): string {
  if (!Number.isFinite(elo)) return 'no bound';
  return `${elo >= 0 ? '+' : '-'}${Math.abs(elo).toFixed(0)}`;
}
