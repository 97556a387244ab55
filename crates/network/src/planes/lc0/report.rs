//! lc0's approximations between a network's outputs and the numbers that lc0 prints.
//!
//! Two approximations separate the outputs of lc0's network from the numbers it prints (lc0 0.31 to 0.33, default
//! options). They change policies by up to 7e-4 and win minus loss by up to 4e-3. To compare a network with numbers
//! printed by lc0, apply them to its outputs first ([`as_reported`]).
//!
//! 1. The softmax over legal moves uses a quadratic `FastExp` (`src/neural/wrapper.cc`, `src/utils/fastmath.h`).
//! 2. Win, draw and loss are converted to mean and spread of a logistic distribution and back, to apply
//!    contempt (`WDLRescale` in `src/search/classic/search.cc`). Without contempt this would be the identity,
//!    but `FastLog` and `FastLogistic` are approximations. It is skipped if any of the three is within 1e-4
//!    of zero or one.

use std::f32::consts::{LN_2, LOG2_E};

use chess::{Evaluation, Wdl};

/// Coefficient of the quadratic term of `FastLog2` between powers of two; the linear coefficient is one plus this.
const LOG2_CURVE: f32 = 0.346_555_23;

/// Coefficient of the quadratic term of `FastExp2` between integers; the linear coefficient is one minus this.
const EXP2_CURVE: f32 = 0.339_766_06;

/// Probabilities closer than this to zero or one are not transformed.
const EXTREME: f32 = 1e-4;

/// The evaluation as lc0's verbose statistics would show it.
#[must_use]
pub fn as_reported(evaluation: &Evaluation) -> Evaluation {
    let greatest = evaluation.priors.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let mut priors: Vec<f32> = evaluation
        .priors
        .iter()
        .map(|prior| fast_exp((prior / greatest).max(f32::MIN_POSITIVE).ln()))
        .collect();
    let sum: f32 = priors.iter().sum();
    for prior in &mut priors {
        *prior /= sum;
    }
    Evaluation { wdl: through_logistic(evaluation.wdl), priors, moves_left: evaluation.moves_left }
}

fn through_logistic(wdl: Wdl) -> Wdl {
    if [wdl.win, wdl.draw, wdl.loss].into_iter().any(is_extreme) {
        return wdl;
    }
    let loss = fast_log(1.0 / wdl.loss - 1.0);
    let win = fast_log(1.0 / wdl.win - 1.0);
    let spread = 2.0 / (loss + win);
    let mean = (loss - win) / (loss + win);
    let win = fast_logistic((mean - 1.0) / spread);
    let loss = fast_logistic((-mean - 1.0) / spread);
    Wdl { win, draw: (1.0 - win - loss).max(0.0), loss }
}

fn is_extreme(probability: f32) -> bool {
    !(probability > EXTREME && probability < 1.0 - EXTREME)
}

fn fast_log(x: f32) -> f32 {
    let exponent = x.log2().floor();
    let fraction = x / exponent.exp2() - 1.0;
    LN_2 * (fraction * (1.0 + LOG2_CURVE - LOG2_CURVE * fraction) + exponent)
}

fn fast_exp(x: f32) -> f32 {
    let power = x * LOG2_E;
    let integer = power.floor();
    let fraction = power - integer;
    (1.0 + fraction * (1.0 - EXP2_CURVE + EXP2_CURVE * fraction)) * integer.exp2()
}

fn fast_logistic(x: f32) -> f32 {
    1.0 / (1.0 + fast_exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approximations_are_exact_at_powers_of_two_and_close_between() {
        for power in -20_i16..20 {
            let power = f32::from(power);
            assert!((fast_log(power.exp2()) - power * LN_2).abs() < 1e-5);
            let half = power + 0.5;
            assert!((fast_log(half.exp2()) - half * LN_2).abs() < 7e-3);
            assert!((fast_exp(half * LN_2) / half.exp2() - 1.0).abs() < 2e-3);
        }
    }

    #[test]
    fn extreme_values_stay() {
        let lost = Wdl { win: 0.000_05, draw: 0.1, loss: 0.899_95 };
        let evaluation = Evaluation { wdl: lost, priors: vec![1.0, 0.0], moves_left: None };
        let reported = as_reported(&evaluation);
        assert_eq!(reported.wdl, lost);
        assert!(reported.priors[1] < 1e-6);
    }
}
