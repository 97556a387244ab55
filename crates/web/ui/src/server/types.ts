/** What the server says. The source is the OpenAPI description at /api/v1/openapi.json. */

export type Colour = 'white' | 'black';

export interface MoveView {
  uci: string;
  san: string;
  elapsed_ms: number;
  clock_ms: number | null;
}

export interface ClockView {
  white_ms: number;
  black_ms: number;
  initial_ms: number;
  increment_ms: number;
  running: Colour | null;
}

export interface EndView {
  result: '1-0' | '0-1' | '1/2-1/2';
  reason: string;
  text: string;
}

export interface OpponentView {
  network: string;
  name: string;
  pace: string;
  level: string | null;
  nodes: number | null;
  move_time_ms: number | null;
  temperature: number;
}

export interface GameView {
  id: string;
  seq: number;
  started: number;
  start_fen: string;
  fen: string;
  moves: MoveView[];
  turn: Colour;
  person: Colour;
  opponent: OpponentView;
  clock: ClockView | null;
  thinking: boolean;
  help: boolean;
  draw_declined_at: number | null;
  failure: string | null;
  claimable: string | null;
  holder: string | null;
  end: EndView | null;
}

export interface GameSummary {
  id: string;
  started: number;
  person: Colour;
  opponent: string;
  pace: string;
  plies: number;
  end: string | null;
  result: string;
}

export interface HintView {
  ply: number;
  uci: string;
  san: string;
}

export interface NewGame {
  network?: string;
  color: Colour | 'random';
  nodes?: number;
  move_time_ms?: number;
  temperature?: number;
  clock?: { initial_ms: number; increment_ms: number };
  fen?: string;
  level?: string;
  draws_by_claim?: boolean;
  seed?: number;
}

export interface Measurement {
  elo: number;
  low: number;
  high: number;
  games: number;
  setting: string;
  conditions: string;
}

export type NetworkKind = 'bundled' | 'own' | 'lc0' | 'human' | 'baseline';

export interface NetworkSummary {
  id: string;
  name: string;
  kind: NetworkKind;
  file: string | null;
  bytes: number | null;
  shape: string | null;
  parameters: number | null;
  rating: number | null;
  measurements: Measurement[];
  problem: string | null;
}

export interface NetworkDetail extends NetworkSummary {
  facts: [string, string][];
  metrics: [string, number][];
  recipe: string;
}

export interface Level {
  name: string;
  network: string;
  nodes: number;
  temperature: number;
  measurement: Measurement | null;
}

export interface Wdl {
  win: number;
  draw: number;
  loss: number;
}

export type Score = { centipawns: number } | { mate: number };

export interface TracedMove {
  uci: string;
  san: string;
  visits: number;
  /** Q, from -1 to 1, for the side to move. */
  value: number | null;
  prior: number;
  exploration: number | null;
  wdl: Wdl | null;
  score: Score | null;
  variation_uci: string[];
  variation_san: string[];
}

export interface SearchTrace {
  fen: string;
  depth: number;
  selective_depth: number;
  nodes: number;
  nodes_per_second: number;
  evaluations: number;
  cache_hits: number;
  table_hits: number;
  elapsed_ms: number;
  hash_full: number;
  wdl: Wdl | null;
  score: Score | null;
  moves: TracedMove[];
}

export interface AnalysisView {
  key: number;
  stage: 'waiting' | 'running' | 'spent' | 'proven' | 'stopped' | 'over' | 'failed';
  network: string;
  engine: string;
  budget: number | null;
  visits: number;
  kept: number;
  trace: SearchTrace | null;
  message: string | null;
}

/** A node of the search tree; values are the root mover's. */
export interface TracedBranch {
  parent: number | null;
  uci: string;
  san: string;
  visits: number;
  wdl: Wdl;
}

export interface TreeView {
  key: number;
  visits: number;
  branches: TracedBranch[];
}

/** What a network thinks of a position at first sight. */
export interface FirstSight {
  wdl: [number, number, number] | null;
  moves: { uci: string; san: string; prior: number }[];
}

export interface NetworkJudgement {
  network: string;
  engine: string;
  problem: string | null;
  positions: FirstSight[];
}

export interface JobView {
  id: number;
  kind: 'game' | 'analysis' | 'review';
  network: string;
  can_stop: boolean;
}

export interface ServerView {
  version: string;
  build: string;
  pages: number;
  jobs: JobView[];
  training: { name: string; step: number; steps: number | null }[];
}

export type Judgement = 'forced' | 'fine' | 'inaccuracy' | 'mistake' | 'blunder';

export interface ReviewPoint {
  ply: number;
  white_wdl: [number, number, number];
  white_percent: number;
  best: string | null;
  line: string[];
  loss: number | null;
  accuracy: number | null;
  judgement: Judgement | null;
  prior: number | null;
}

export interface SideSummary {
  accuracy: number | null;
  mean_loss: number | null;
  inaccuracies: number;
  mistakes: number;
  blunders: number;
  forced: number;
}

export interface ReviewView {
  id: string;
  network: string;
  engine: string;
  nodes: number;
  positions: number;
  running: boolean;
  failure: string | null;
  points: ReviewPoint[];
  white: SideSummary | null;
  black: SideSummary | null;
}

export interface RunSummary {
  name: string;
  status: 'running' | 'done' | 'silent';
  step: number;
  steps: number | null;
  batch: number | null;
  positions_per_second: number | null;
  log_bytes: number;
  silent_seconds: number;
  modified: number;
}

export interface RunDetail extends RunSummary {
  recipe: string;
  outcome: unknown;
}

export interface Series {
  step: number[];
  values: Record<string, (number | null)[]>;
}

export interface Curves {
  next: number;
  restarted: boolean;
  train: Series;
  held_out: Series;
}

export interface ResultSummary {
  id: string;
  kind: 'match' | 'ladder' | 'tournament' | 'suite' | 'report' | 'running' | 'other';
  modified: number;
  report: Record<string, unknown> | null;
  pgn: boolean;
  problem: string | null;
}
