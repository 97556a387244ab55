use dataset::Batch;

use super::Statistics;
use crate::probabilities::legal_log_probability;

/// The outputs of a network for a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    /// The logit of each legal move, before softmax, laid out like [`Batch::legal_indices`].
    pub logits: Vec<f32>,
    /// `[boards][outputs]`, before softmax or tanh.
    pub values: Vec<f32>,
    /// Natural logarithm of the total probability of each board's legal moves under a softmax over all moves; empty
    /// without a policy.
    pub legal: Vec<f32>,
    /// The mean and variance that were used.
    pub statistics: Statistics,
}

impl Outputs {
    /// Adds the outputs of the policy head for some boards: `moves` are the positions of the outputs that belong to
    /// moves, `legal` those of each board's legal moves.
    ///
    /// # Shapes
    /// outputs `[boards][width]`.
    pub(crate) fn add_policy<'a>(
        &mut self,
        outputs: &[f32],
        width: usize,
        moves: &[u32],
        legal: impl Iterator<Item = &'a [u32]>,
    ) {
        for (logits, legal) in outputs.chunks_exact(width).zip(legal) {
            self.logits.extend(legal.iter().map(|&slot| logits[slot as usize]));
            self.legal.push(legal_log_probability(logits, moves, legal));
        }
    }
}

/// Raw outputs of the heads for a batch, before softmax or tanh; empty for a head that the network lacks.
#[derive(Clone, Copy, Debug)]
pub struct HeadOutputs<'a> {
    /// `[boards][policy_width]`.
    pub policy: &'a [f32],
    /// `[boards][outputs]`.
    pub value: &'a [f32],
    /// The batch with the targets that the outputs are compared with.
    pub batch: &'a Batch,
    /// Position of each legal move's logit in its board's row of the policy, laid out like [`Batch::legal_indices`].
    pub slots: &'a [u32],
}
