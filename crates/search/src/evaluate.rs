//! Calls an evaluator and checks its outputs, so that invalid values are an error in every search and never
//! enter a tree.

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Move, Wdl};

// Looser than the law of the trait (1e-4): searches only need to be protected from nonsense.
const TOLERANCE: f32 = 0.01;

/// Evaluates a batch.
///
/// # Errors
/// [`EvaluatorError`] if the evaluator fails, an answer is missing or has too few priors, or if priors or win, draw and
/// loss are not probabilities.
pub fn evaluate(
    evaluator: &dyn Evaluator,
    requests: &[EvaluationRequest<'_>],
) -> Result<Vec<Evaluation>, EvaluatorError> {
    let evaluations = evaluator.evaluate(requests)?;
    checked(evaluator, requests, evaluations, |evaluation, request| {
        defect(evaluation, request.legal_moves.len())
    })
}

/// Evaluates a batch without priors.
pub(crate) fn values(
    evaluator: &dyn Evaluator,
    requests: &[EvaluationRequest<'_>],
) -> Result<Vec<Wdl>, EvaluatorError> {
    checked(evaluator, requests, evaluator.values(requests)?, |&wdl, _| no_result(wdl))
}

/// The outputs, if there is a valid one for each request.
fn checked<T>(
    evaluator: &dyn Evaluator,
    requests: &[EvaluationRequest<'_>],
    answers: Vec<T>,
    defect: impl Fn(&T, &EvaluationRequest<'_>) -> Option<String>,
) -> Result<Vec<T>, EvaluatorError> {
    let failed =
        |reason: String| EvaluatorError { evaluator: evaluator.describe(), batch: requests.len(), reason };
    if answers.len() != requests.len() {
        return Err(failed(format!("{} evaluations for {} positions", answers.len(), requests.len())));
    }
    for (answer, request) in answers.iter().zip(requests) {
        if let Some(defect) = defect(answer, request) {
            return Err(failed(format!("{defect} in position {}", request.game.fen())));
        }
    }
    Ok(answers)
}

/// The position after a move, with what an [`EvaluationRequest`] borrows.
pub(crate) struct PositionAfter {
    /// The place of the move in its list.
    pub(crate) place: usize,
    pub(crate) game: Game,
    pub(crate) legal_moves: Vec<Move>,
}

impl PositionAfter {
    pub(crate) fn new(place: usize, game: Game) -> Self {
        let legal_moves = game.legal_moves().into_iter().collect();
        Self { place, game, legal_moves }
    }

    pub(crate) fn request(&self) -> EvaluationRequest<'_> {
        EvaluationRequest { game: &self.game, legal_moves: &self.legal_moves }
    }
}

/// Evaluates one position.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_one(
    evaluator: &dyn Evaluator,
    game: &Game,
    legal_moves: &[Move],
) -> Result<Evaluation, EvaluatorError> {
    Ok(evaluate(evaluator, &[EvaluationRequest { game, legal_moves }])?.swap_remove(0))
}

fn defect(evaluation: &Evaluation, moves: usize) -> Option<String> {
    let priors = &evaluation.priors;
    if priors.len() != moves {
        return Some(format!("{} priors for {moves} legal moves", priors.len()));
    }
    not_probabilities("priors", priors).or_else(|| no_result(evaluation.wdl))
}

fn no_result(wdl: Wdl) -> Option<String> {
    not_probabilities("win, draw and loss", &[wdl.win, wdl.draw, wdl.loss])
}

pub(crate) fn not_probabilities(what: &str, parts: &[f32]) -> Option<String> {
    if let Some(part) = parts.iter().find(|part| !part.is_finite()) {
        return Some(format!("{what} are not probabilities (found {part}, expected numbers from 0 to 1)"));
    }
    let total: f32 = parts.iter().sum();
    let sound = (total - 1.0).abs() <= TOLERANCE && parts.iter().all(|&part| part >= 0.0);
    (!sound).then(|| format!("{what} are not probabilities (sum {total}, expected 1)"))
}
