/** What is drawn of a run: one chart each, where its log has the numbers. */

export interface Metric {
  name: string;
  /** Names in the log. */
  train?: string;
  heldOut?: string;
  baseline?: string;
  /** What the baseline is. */
  baselineName?: string;
  /** Shares, shown in percent. */
  percent?: boolean;
  /** Follows a schedule: smoothing would show values that never were. */
  exact?: boolean;
}

export const METRICS: Metric[] = [
  { name: 'Policy loss', train: 'policy_loss', heldOut: 'policy_loss', baseline: 'baselines.policy_loss', baselineName: 'uniform' },
  { name: 'Value loss', train: 'value_loss', heldOut: 'value_loss', baseline: 'baselines.value_loss', baselineName: 'mean value' },
  { name: 'Moves guessed (top 1)', heldOut: 'top1', baseline: 'baselines.top1', baselineName: 'uniform', percent: true },
  { name: 'Expected score off by', heldOut: 'value_error', baseline: 'baselines.value_error', baselineName: 'mean value' },
  { name: 'Gradient norm', train: 'gradient_norm' },
  { name: 'Learning rate', train: 'learning_rate', exact: true },
  { name: 'Positions a second', train: 'positions_per_second' },
];
