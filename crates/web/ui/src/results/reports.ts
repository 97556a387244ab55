/** The reports that the command line prints with --json, as far as the page shows them. */

export interface Tally {
  wins: number;
  draws: number;
  losses: number;
}

export interface Elo {
  elo: number | null;
  lower: number | null;
  upper: number | null;
  superiority: number;
  method?: string;
}

export interface Conditions {
  players: { name: string; pace: string; specification?: string; identity?: [string, string][] }[];
  openings: string;
  machine: string;
  seed?: number;
  concurrency?: number;
  endgames?: string | null;
  program?: string;
  adjudication?: { max_moves?: number | null; resign?: { centipawns: number; moves: number } | null; draw?: unknown } | null;
}

export interface MatchReport {
  conditions: Conditions;
  games: Tally;
  pairs?: number[];
  elo: Elo | null;
  normalized_elo?: { elo: number; error: number } | null;
  sprt?: {
    test: { model: string; elo0: number; elo1: number; alpha: number; beta: number };
    state: { log_likelihood_ratio: number; lower: number; upper: number; verdict: string | null };
  } | null;
  terminations?: { kind: string; loser: string | null; games: number }[];
  outcomes?: Record<string, number>;
  distinct_games?: number;
  seconds?: number;
}

export interface LadderLine {
  opponent: string;
  elo: number | null;
  games: Tally;
  difference: Elo | null;
}

export interface Rating {
  elo: number | null;
  lower: number | null;
  upper: number | null;
  games: number;
}

export interface LadderReport {
  conditions?: Conditions;
  rating: Rating | null;
  levels: LadderLine[];
  beyond?: LadderLine[];
  failures?: number;
}

export interface Share {
  value: number;
  lower: number;
  upper: number;
  samples: number;
}

export interface PuzzleGroup {
  name: string;
  solved: Share;
  random: number;
  material: number;
  rating: Rating | null;
}

export interface SuiteReport {
  suites?: {
    suite: string;
    solved: Share;
    random?: { solved: number };
    material?: { solved: number };
    answers?: { id: string; fen: string; played: string | null; solved: boolean }[];
  }[];
  puzzles?: { puzzles: string; overall: PuzzleGroup; bands: PuzzleGroup[]; themes: PuzzleGroup[] }[];
}

export interface TournamentReport {
  table: { player: string; games: Tally; elo: number | null; lower: number | null; upper: number | null; against?: (Tally | null)[] }[];
  matches?: MatchReport[];
}

export function gamesOf({ wins, draws, losses }: Tally): number {
  return wins + draws + losses;
}

export function scoreOf(tally: Tally): number {
  const games = gamesOf(tally);
  return games > 0 ? (tally.wins + tally.draws / 2) / games : 0;
}

export function signed(elo: number): string {
  if (!Number.isFinite(elo)) return 'no bound';
  return `${elo >= 0 ? '+' : '-'}${Math.abs(elo).toFixed(0)}`;
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** `50.0 % (40.0 % to 60.0 %)`. */
export function shareText({ value, lower, upper }: Share): string {
  return `${percent(value)} (${percent(lower)} to ${percent(upper)})`;
}

/** `1480 (95 %: 1448 to 1512)`; a missing end is stated. */
export function ratingText(rating: Rating | null): string {
  if (!rating) return 'no games';
  const end = (value: number | null) => (value === null ? 'no bound' : String(Math.round(value)));
  return `${rating.elo === null ? 'no estimate' : Math.round(rating.elo)} (95 %: ${end(rating.lower)} to ${end(rating.upper)})`;
}
