/** Metrics drawn for a run: one chart each, if its log has the numbers. */

import type { Curves } from '../server/types.ts';

export interface Metric {
  name: string;
  /** Names in the log. */
  train?: string;
  heldOut?: string;
  baseline?: string;
  /** Name of the baseline. */
  baselineName?: string;
  /** Shares, shown in percent. */
  percent?: boolean;
  /** Factor from the unit of the log to the unit shown. */
  factor?: number;
  /** True for a schedule, or a measurement with its interval: smoothing would show values that never occurred. */
  exact?: boolean;
}

export const METRICS: Metric[] = [
  { name: 'Policy loss', train: 'policy_loss', heldOut: 'policy_loss', baseline: 'baselines.policy_loss', baselineName: 'uniform' },
  { name: 'Value loss', train: 'value_loss', heldOut: 'value_loss', baseline: 'baselines.value_loss', baselineName: 'mean value' },
  { name: 'Policy top-1', heldOut: 'top1', baseline: 'baselines.top1', baselineName: 'uniform', percent: true },
  { name: 'Expected score error', heldOut: 'value_error', baseline: 'baselines.value_error', baselineName: 'mean value' },
  { name: 'Gradient norm', train: 'gradient_norm' },
  { name: 'Learning rate', train: 'learning_rate', exact: true },
  { name: 'Elo over the start', train: 'selfplay.elo', exact: true },
  { name: 'Elo over the start, lower bound', train: 'selfplay.elo_lower', exact: true },
  { name: 'Elo over the start, upper bound', train: 'selfplay.elo_upper', exact: true },
  { name: 'Score against the current network', train: 'selfplay.gate_score', percent: true, exact: true },
  { name: 'Half-moves per game', train: 'selfplay.plies', exact: true },
  { name: 'Games drawn', train: 'selfplay.drawn', percent: true, exact: true },
  { name: 'Games won by White', train: 'selfplay.white', percent: true, exact: true },
  { name: 'Policy surprise', train: 'selfplay.surprise', exact: true },
  { name: 'Mean grade', train: 'reinforce.grade', exact: true },
  { name: 'Mean grade, lower bound', train: 'reinforce.grade_lower', exact: true },
  { name: 'Mean grade, upper bound', train: 'reinforce.grade_upper', exact: true },
  { name: 'Positions per second', train: 'positions_per_second' },
  { name: 'Cores in use', train: 'busy_cores' },
  { name: 'Memory, MB', train: 'resident_bytes', factor: 1e-6, exact: true },
  { name: 'GPU in use', train: 'gpu_load', percent: true },
  { name: 'GPU memory, MB', train: 'gpu_bytes', factor: 1e-6, exact: true },
];

/** True if a log has numbers of the metric. */
export function isLogged({ train, held_out }: Pick<Curves, 'train' | 'held_out'>, metric: Metric): boolean {
  const inTrain = metric.train !== undefined && metric.train in train.values;
  return inTrain || (metric.heldOut !== undefined && metric.heldOut in held_out.values);
}

export function valueText(metric: Metric, value: number | null): string {
  if (value === null) return '';
  if (metric.percent) return `${(100 * value).toFixed(1)} %`;
  const shown = value * (metric.factor ?? 1);
  if (Math.abs(shown) >= 1e4) return Math.round(shown).toLocaleString('en');
  return Math.abs(shown) < 1e-3 && shown !== 0 ? shown.toExponential(2) : shown.toPrecision(4);
}
