//! Losses of the policy head.

use network::probabilities::log_sum;
use rayon::prelude::*;

/// Weighted mean over the samples of -sum(target * log softmax(logits)), and its gradient with respect to the logits.
///
/// # Shapes
/// Logits and targets of all samples are concatenated; sample i has `offsets[i]..offsets[i + 1]`. weights
/// `[boards]`.
pub(crate) fn policy_loss(
    logits: &[f32],
    targets: &[f32],
    offsets: &[u32],
    weights: &[f32],
) -> (f32, Vec<f32>) {
    let total = total_weight(weights.iter().copied());
    let (mut loss, mut gradient) = (0.0, vec![0.0; logits.len()]);
    for (pair, &weight) in offsets.windows(2).zip(weights) {
        let moves = pair[0] as usize..pair[1] as usize;
        let gradient = &mut gradient[moves.clone()];
        loss += f64::from(weight) * cross_entropy(&logits[moves.clone()], &targets[moves], gradient);
        for value in gradient {
            *value = *value * weight / total;
        }
    }
    ((loss / f64::from(total)) as f32, gradient)
}

/// Divisor that turns a weighted sum into a mean; 1 if all weights are 0, because the sum is then 0.
pub(crate) fn total_weight(weights: impl Iterator<Item = f32>) -> f32 {
    let total = weights.sum();
    if total > 0.0 { total } else { 1.0 }
}

/// -sum(target * log softmax(logits)); the gradient is softmax(logits) * sum(target) - target.
pub(super) fn cross_entropy(logits: &[f32], targets: &[f32], gradient: &mut [f32]) -> f64 {
    // Relative to the largest logit no power overflows, and the one of the largest is 1, so the sum is never 0.
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for (power, logit) in gradient.iter_mut().zip(logits) {
        *power = (logit - largest).exp();
    }
    let sum: f32 = gradient.iter().sum();
    let total: f32 = targets.iter().sum();
    let mut loss = 0.0;
    for ((value, logit), target) in gradient.iter_mut().zip(logits).zip(targets) {
        loss -= f64::from(target * (logit - largest - sum.ln()));
        *value = *value / sum * total - target;
    }
    loss
}

/// The whole output of the policy head on a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolicyLogits<'a> {
    /// `[boards][width]`.
    pub(crate) logits: &'a [f32],
    /// Number of policy outputs per board.
    pub(crate) width: usize,
    /// Indices of the outputs that belong to moves.
    pub(crate) moves: &'a [u32],
    /// Indices of the outputs of the legal moves, one board after another.
    pub(crate) legal: &'a [u32],
    /// Start of each board's legal moves in `legal`, `[boards + 1]`.
    pub(crate) offsets: &'a [u32],
    /// Weight of each board, `[boards]`.
    pub(crate) weights: &'a [f32],
}

/// Weighted mean over the samples of -ln(total probability of the legal moves) under a softmax over all
/// moves; `weight` times its gradient is added to the gradient of the logits. Every move receives a gradient,
/// unlike with a constant penalty for an illegal move.
///
/// # Shapes
/// gradient `[boards][width]`.
pub(crate) fn illegal_move_loss(policy: PolicyLogits<'_>, weight: f32, gradient: &mut [f32]) -> f32 {
    let total = total_weight(policy.weights.iter().copied());
    let rows = policy.logits.par_chunks_exact(policy.width).zip(gradient.par_chunks_exact_mut(policy.width));
    // Thousands of exponentials a board. The terms are added up in the order of the boards.
    let losses: Vec<f64> = rows
        .enumerate()
        .map(|(board, (logits, gradient))| {
            let legal = &policy.legal[policy.offsets[board] as usize..policy.offsets[board + 1] as usize];
            let board_weight = policy.weights[board];
            let all_sum = log_sum(logits, policy.moves);
            let legal_sum = log_sum(logits, legal);
            // d(all_sum) / d logit is the move's probability among all moves, d(legal_sum) / d logit that among the legal ones.
            let factor = weight * board_weight / total;
            for &slot in policy.moves {
                gradient[slot as usize] += factor * probability(logits[slot as usize], all_sum);
            }
            for &slot in legal {
                gradient[slot as usize] -= factor * probability(logits[slot as usize], legal_sum);
            }
            f64::from(board_weight) * (all_sum - legal_sum)
        })
        .collect();
    (losses.iter().sum::<f64>() / f64::from(total)) as f32
}

/// The softmax probability of a move, given the logarithm of the sum of exponentials.
fn probability(logit: f32, log_sum: f64) -> f32 {
    (f64::from(logit) - log_sum).exp() as f32
}
