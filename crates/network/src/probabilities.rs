//! Probabilities from the outputs of a network's heads.

use chess::Wdl;
use dataset::{EvaluationCurve, Stage};

use crate::spec::ValueKind;

/// The value of a position for the side to move: probabilities, and the single number that every loss except
/// cross-entropy compares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionValue {
    /// Probabilities of win, draw and loss.
    pub wdl: Wdl,
    /// The expected result from -1 to 1, or pawns.
    pub number: f32,
}

impl PositionValue {
    /// Interprets the value head's outputs. A single number carries no draw probability: an expected result is split between
    /// win and loss. Pawns are converted to probabilities with the logistic curve of training targets. Without a head, every
    /// position is a draw.
    ///
    /// # Shapes
    /// `[kind.outputs()]`
    pub fn of(kind: ValueKind, output: &[f32]) -> Self {
        match kind {
            ValueKind::Wdl => {
                let mut probabilities = [output[0], output[1], output[2]];
                softmax(&mut probabilities, 1.0);
                let [win, draw, loss] = probabilities;
                Wdl { win, draw, loss }.into()
            }
            ValueKind::Scalar => {
                let number = output[0].tanh();
                let wdl =
                    Wdl { win: f32::midpoint(1.0, number), draw: 0.0, loss: f32::midpoint(1.0, -number) };
                Self { wdl, number }
            }
            ValueKind::Pawns { limit, squash } => {
                let number = if squash { limit * output[0].tanh() } else { output[0] };
                Self {
                    wdl: EvaluationCurve::default().wdl_of_centipawns(100.0 * number, Stage::START),
                    number,
                }
            }
            ValueKind::None => Wdl::DRAW.into(),
        }
    }
}

impl From<Wdl> for PositionValue {
    fn from(wdl: Wdl) -> Self {
        Self { wdl, number: wdl.value() }
    }
}

/// Converts logits to probabilities in place; a temperature above one makes them more uniform.
pub fn softmax(logits: &mut [f32], temperature: f32) {
    // Without subtracting the largest logit, an exponential might overflow.
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = ((*logit - largest) / temperature).exp();
        sum += *logit;
    }
    for logit in logits.iter_mut() {
        *logit /= sum;
    }
}

/// Natural logarithm of the total probability that a softmax over all moves gives to the legal moves.
pub(crate) fn legal_log_probability(logits: &[f32], moves: &[u32], legal: &[u32]) -> f32 {
    (log_sum(logits, legal) - log_sum(logits, moves)) as f32
}

/// ln(sum(e^logit)) over some of the logits.
pub fn log_sum(logits: &[f32], slots: &[u32]) -> f64 {
    let chosen = slots.iter().map(|slot| logits[*slot as usize]);
    let largest = chosen.clone().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = chosen.map(|logit| (logit - largest).exp()).sum();
    f64::from(largest) + f64::from(sum).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wdl(kind: ValueKind, output: &[f32]) -> Wdl {
        PositionValue::of(kind, output).wdl
    }

    #[test]
    fn large_logits_do_not_overflow() {
        let mut probabilities = [1000.0, 1000.0, -1000.0];
        softmax(&mut probabilities, 1.0);
        assert_eq!(probabilities, [0.5, 0.5, 0.0]);
    }

    #[test]
    fn a_scalar_is_win_minus_loss() {
        assert_eq!(wdl(ValueKind::Scalar, &[0.0]), Wdl { win: 0.5, draw: 0.0, loss: 0.5 });
        let winning = wdl(ValueKind::Scalar, &[0.8]);
        assert!((winning.value() - 0.8_f32.tanh()).abs() < 1e-6);
        assert!((winning.win + winning.loss - 1.0).abs() < 1e-6);
    }

    #[test]
    fn three_outputs_are_win_draw_loss() {
        let wdl = wdl(ValueKind::Wdl, &[4.0_f32.ln(), 3.0_f32.ln(), 1.0_f32.ln()]);
        assert!((wdl.win - 0.5).abs() < 1e-6);
        assert!((wdl.draw - 0.375).abs() < 1e-6);
    }

    #[test]
    fn the_probability_of_the_legal_moves_is_their_share_of_all_moves() {
        // The second output does not belong to any move.
        let (logits, moves) = ([1.0_f32, 9.0, 0.5, -2.0], [0, 2, 3]);
        let legal = logits[0].exp() + logits[3].exp();
        let expected = (legal / (legal + logits[2].exp())).ln();
        assert!((legal_log_probability(&logits, &moves, &[0, 3]) - expected).abs() < 1e-6);
        assert_eq!(legal_log_probability(&logits, &moves, &moves), 0.0);
    }

    #[test]
    fn pawns_are_worth_what_they_are_in_training() {
        let linear = ValueKind::Pawns { limit: 9.0, squash: false };
        let found = PositionValue::of(linear, &[1.5]);
        assert_eq!(found.number, 1.5);
        assert_eq!(found.wdl, EvaluationCurve::default().wdl(chess::Score::Centipawns(150), Stage::START));
        let squashed = PositionValue::of(ValueKind::Pawns { limit: 10.0, squash: true }, &[0.5]);
        assert!((squashed.number - 10.0 * 0.5_f32.tanh()).abs() < 1e-6);
        let better = PositionValue::of(linear, &[1.504]).wdl.value();
        assert!(better > found.wdl.value(), "differences under a hundredth of a pawn still count");
        assert_eq!(wdl(ValueKind::None, &[]), Wdl::DRAW);
    }
}
