//! Evaluators of single positions, with values and priors computed separately.

use shakmaty::{Chess, Move};

use crate::Wdl;

/// Evaluates one position at a time, from the position alone, for one thread of a search. It may keep buffers and
/// accumulators between calls, hence `&mut self`; neither call allocates once its buffers have grown.
///
/// A tree search needs the value of every leaf, but the priors only of leaves that it visits again, about two
/// thirds of them, so neither call should compute the result of the other. `laws::evaluator::check` tests the
/// laws on every evaluator that has this interface.
///
/// # Laws
/// 1. At temperature 1, value and priors are those of [`crate::Evaluator::evaluate`], within its tolerance, and
///    [`crate::Evaluator::history`] is 1.
/// 2. At temperature T, priors are proportional to p^(1/T), p being those at temperature 1, and add up to one within 1e-4.
/// 3. Deterministic: an answer does not depend on earlier calls. The static value is a distribution like the value.
pub trait PositionEvaluator {
    /// Value for the side to move of a position that is not over.
    fn value(&mut self, position: &Chess) -> Wdl;

    /// Static value of a position, for searches that play captures out themselves. The same as [`PositionEvaluator::value`], unless
    /// that plays them out.
    fn static_value(&mut self, position: &Chess) -> Wdl {
        self.value(position)
    }

    /// Replaces the contents of `priors` with the probability of each of `legal_moves` (never empty), in their order, under a
    /// softmax temperature above 0.
    fn priors(&mut self, position: &Chess, legal_moves: &[Move], temperature: f32, priors: &mut Vec<f32>);
}
