//! The trait between networks and searches: positions in, values and priors out.

mod material;
mod uniform;

use serde::Serialize;
use shakmaty::{Chess, Move};

use crate::{Game, Wdl};

pub use material::{MaterialEvaluator, material_balance, piece_value};
pub use uniform::UniformEvaluator;

/// A position to evaluate, with its legal moves.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationRequest<'a> {
    /// The position with its history.
    pub game: &'a Game,
    /// The legal moves, in the order in which the priors are returned. Never empty.
    pub legal_moves: &'a [Move],
}

/// The value and priors of one position.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Value for the side to move.
    pub wdl: Wdl,
    /// Probability of each legal move, in the order of [`EvaluationRequest::legal_moves`]; adds up to one.
    pub priors: Vec<f32>,
    /// Expected plies until the game ends, if the network predicts it.
    pub moves_left: Option<f32>,
}

/// The parts of an evaluation that come from the evaluator itself. Searches need both parts of every
/// evaluation, so an evaluator without a policy returns equal priors, and one without a value returns a draw.
/// User interfaces leave these constants out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Heads {
    /// True if it prefers some moves to others.
    pub policy: bool,
    /// True if it judges some positions better than others.
    pub value: bool,
}

impl Heads {
    /// A policy and a value.
    pub const BOTH: Self = Self { policy: true, value: true };

    /// True if a value carries information: without a value head, an exact draw is the evaluator's constant,
    /// and any other value comes from the rules, tablebases or hints of the search.
    pub fn judge(self, wdl: Wdl) -> bool {
        self.value || wdl != Wdl::DRAW
    }

    /// The parts that are missing, such as `no policy`; empty if none is.
    pub fn missing(self) -> &'static str {
        match (self.policy, self.value) {
            (true, true) => "",
            (false, true) => "no policy",
            (true, false) => "no value",
            (false, false) => "no policy, no value",
        }
    }
}

impl Default for Heads {
    fn default() -> Self {
        Self::BOTH
    }
}

/// Evaluates positions that are not over. `laws::evaluator::check` tests the laws.
///
/// # Laws
/// 1. One evaluation for each request, in order; priors match the request's legal moves in number and order.
/// 2. WDL and priors are probabilities: non-negative, finite, each set adds up to one within 1e-4.
/// 3. Deterministic: equal requests give equal answers within the evaluator's stated tolerance, independent
///    of the other requests in the batch and of their order.
/// 4. The answer depends on the last [`Evaluator::history`] positions, with the data of their [`crate::game::HistoryEntry`],
///    and on nothing before them.
/// 5. [`Evaluator::values`] returns the values of [`Evaluator::evaluate`].
/// 6. An evaluator that sees the board from the side to move gives a game and its colour-flipped twin the same answer
///    (`laws::evaluator::sees_sides_alike`). Networks whose input encoding breaks colour-flip symmetry are exempt.
/// 7. A side that is a queen up and is not about to lose it has an expected score above 0.5
///    (`laws::evaluator::counts_a_queen`). Networks with random weights are exempt.
/// 8. Without a policy all priors of an answer are equal; without a value every answer is [`Wdl::DRAW`].
pub trait Evaluator: Send + Sync {
    /// A description for logs and `info string`: network name, precision, instruction set.
    fn describe(&self) -> String;

    /// Evaluates a batch; an empty batch gives an empty answer.
    ///
    /// # Errors
    /// [`EvaluatorError`] when the device or runtime fails; never for a legal request.
    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError>;

    /// The parts that this evaluator computes; both by default. A wrapper returns those of the evaluator
    /// inside.
    fn heads(&self) -> Heads {
        Heads::BOTH
    }

    /// The values of a batch without its priors.
    ///
    /// # Errors
    /// As [`Evaluator::evaluate`].
    fn values(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Wdl>, EvaluatorError> {
        Ok(self.evaluate(batch)?.into_iter().map(|evaluation| evaluation.wdl).collect())
    }

    /// True if [`Evaluator::values`] costs a fraction of [`Evaluator::evaluate`]: a tree search then computes
    /// the value of a position at its first visit and its priors at the second.
    fn has_costly_priors(&self) -> bool {
        false
    }

    /// Number of a game's last positions, the current one included, that an evaluation depends on. A search caches
    /// evaluations by these positions, so a smaller number means more cache hits.
    fn history(&self) -> usize {
        usize::MAX
    }

    /// The batch size at which this evaluator is efficient; a search gathers up to this many leaves.
    fn preferred_batch(&self) -> usize {
        1
    }

    /// A fast interface for one thread, for evaluators whose value of a single position costs microseconds. `None` if
    /// batches or the game's history matter. It must agree with [`Evaluator::evaluate`] ([`PositionEvaluator`], law 1).
    fn position_evaluator(&self) -> Option<Box<dyn PositionEvaluator + '_>> {
        None
    }
}

/// A failed evaluation.
#[derive(Debug, thiserror::Error)]
#[error("{evaluator} failed to evaluate a batch of {batch}: {reason}")]
pub struct EvaluatorError {
    /// Description of the evaluator, as [`Evaluator::describe`] gives it.
    pub evaluator: String,
    /// Number of positions in the batch.
    pub batch: usize,
    /// The error of the device or runtime.
    pub reason: String,
}

/// Evaluates one position at a time, from the position alone, for one thread of a search. It may keep buffers and
/// accumulators between calls, hence `&mut self`; neither call allocates once its buffers have grown.
///
/// A tree search needs the value of every leaf, but the priors only of leaves that it visits again, about two
/// thirds of them, so neither call should compute the result of the other. `laws::evaluator::check` tests the
/// laws on every evaluator that has this interface.
///
/// # Laws
/// 1. At temperature 1, value and priors are those of [`Evaluator::evaluate`], within its tolerance, and
///    [`Evaluator::history`] is 1.
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
