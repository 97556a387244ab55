/**
 * Types of the server's messages: its requests as docs/openapi.json describes them (`npm run types` makes api.ts), and live
 * searches.
 */

import type { ColorView } from './api.ts';

export type * from './api.ts';

export type Colour = ColorView;

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
  /** `null` from a network without a policy. */
  prior: number | null;
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
