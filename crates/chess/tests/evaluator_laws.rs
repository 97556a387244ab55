//! The evaluators of this crate pass the law suite, and the suite refuses evaluators that break a law.
#![allow(clippy::unwrap_used, reason = "what a test builds is known to be right")]

use chess::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError, MaterialEvaluator, UniformEvaluator, Wdl, laws,
};

#[test]
fn uniform_and_material_obey_the_laws() {
    let games = laws::sample_games(7, 200);
    laws::evaluator::check(&UniformEvaluator, &games, 0.0);
    laws::evaluator::check(&MaterialEvaluator, &games, 0.0);
}

/// Each of these breaks one law.
enum Broken {
    NoAnswer,
    SumsToTwo,
    NotANumber,
    DependsOnTheBatch,
    IgnoresMoveOrder,
}

impl Evaluator for Broken {
    fn describe(&self) -> String {
        "broken".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut answers = UniformEvaluator.evaluate(batch)?;
        for (place, (answer, request)) in answers.iter_mut().zip(batch).enumerate() {
            match self {
                Self::NoAnswer | Self::NotANumber if place == 0 => answer.wdl.win = f32::NAN,
                Self::SumsToTwo => answer.wdl = Wdl { win: 1.0, draw: 1.0, loss: 0.0 },
                Self::DependsOnTheBatch if place > 0 => answer.wdl = Wdl::WIN,
                Self::IgnoresMoveOrder if request.legal_moves.len() > 1 => {
                    answer.priors.fill(0.0);
                    answer.priors[0] = 1.0;
                }
                _ => {}
            }
        }
        if matches!(self, Self::NoAnswer) {
            answers.clear();
        }
        Ok(answers)
    }
}

fn check(broken: &Broken) {
    laws::evaluator::check(broken, &laws::sample_games(8, 30), 1e-6);
}

#[test]
#[should_panic(expected = "law 1 (one answer each)")]
fn refused_without_answers() {
    check(&Broken::NoAnswer);
}

#[test]
#[should_panic(expected = "law 2 (sum 2 is not 1)")]
fn refused_when_probabilities_do_not_add_up() {
    check(&Broken::SumsToTwo);
}

#[test]
#[should_panic(expected = "law 2 (probabilities)")]
fn refused_when_not_a_number() {
    check(&Broken::NotANumber);
}

#[test]
#[should_panic(expected = "law 3 (batch of one)")]
fn refused_when_the_batch_matters() {
    check(&Broken::DependsOnTheBatch);
}

#[test]
#[should_panic(expected = "law 1 (priors in the order of the moves)")]
fn refused_when_priors_do_not_follow_the_moves() {
    check(&Broken::IgnoresMoveOrder);
}
