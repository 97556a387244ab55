//! Asks the evaluator and opens leaves with its answers.

use chess::{Color, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Move};

use super::{
    packed::{PackedMove, PackedPrior, sort_edges},
    tree::Edge,
};

// Looser than the law of the trait (1e-4): the tree only needs to be protected from nonsense.
const TOLERANCE: f32 = 0.01;

/// Evaluates a batch and checks the answers, so that a broken evaluator is an error here and not nonsense in the tree.
pub(crate) fn evaluate(
    evaluator: &dyn Evaluator,
    requests: &[EvaluationRequest<'_>],
) -> Result<Vec<Evaluation>, EvaluatorError> {
    let failed =
        |reason: String| EvaluatorError { evaluator: evaluator.describe(), batch: requests.len(), reason };
    let evaluations = evaluator.evaluate(requests)?;
    if evaluations.len() != requests.len() {
        return Err(failed(format!("{} evaluations for {} positions", evaluations.len(), requests.len())));
    }
    for (evaluation, request) in evaluations.iter().zip(requests) {
        if let Some(defect) = defect(evaluation, request.legal_moves.len()) {
            return Err(failed(format!("{defect} in position {}", request.game.fen())));
        }
    }
    Ok(evaluations)
}

fn defect(evaluation: &Evaluation, moves: usize) -> Option<String> {
    let priors = &evaluation.priors;
    if priors.len() != moves {
        return Some(format!("{} priors for {moves} legal moves", priors.len()));
    }
    let total: f32 = priors.iter().sum();
    // A negative or undefined prior makes the comparison fail, too.
    if !((total - 1.0).abs() <= TOLERANCE && priors.iter().all(|&prior| prior >= 0.0)) {
        return Some(format!("priors are no probabilities (sum {total}, expected 1)"));
    }
    let wdl = evaluation.wdl;
    let total = wdl.win + wdl.draw + wdl.loss;
    if !((total - 1.0).abs() <= TOLERANCE && wdl.win.min(wdl.draw).min(wdl.loss) >= 0.0) {
        return Some(format!("win, draw and loss are no probabilities (sum {total}, expected 1)"));
    }
    None
}

/// The edges of a leaf: its moves with their priors under the policy temperature, as the tree wants them sorted.
pub(crate) fn edges(
    moves: &[Move],
    turn: Color,
    priors: &[PackedPrior],
    policy_temperature: f32,
) -> Vec<Edge> {
    let priors: Vec<f32> = priors.iter().map(|prior| prior.get()).collect();
    let tempered = under_temperature(&priors, 1.0 / policy_temperature);
    let mut edges: Vec<Edge> = moves
        .iter()
        .zip(tempered)
        .map(|(&chess_move, prior)| Edge::new(PackedMove::pack(chess_move), PackedPrior::pack(prior)))
        .collect();
    sort_edges(&mut edges, turn);
    edges
}

/// Probabilities raised to a power and normalised. An exponent of 1 / T is a softmax at temperature T.
pub(crate) fn under_temperature(priors: &[f32], exponent: f32) -> Vec<f32> {
    if exponent == 1.0 {
        return priors.to_vec();
    }
    let mut raised: Vec<f32> = priors.iter().map(|prior| prior.powf(exponent)).collect();
    let total: f32 = raised.iter().sum();
    if total > 0.0 && total.is_finite() {
        for prior in &mut raised {
            *prior /= total;
        }
        raised
    } else {
        priors.to_vec()
    }
}
