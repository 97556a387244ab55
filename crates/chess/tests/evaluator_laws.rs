//! The evaluators of this crate pass the law suite, and the suite refuses evaluators that break a law.

use chess::{
    Chess, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, MaterialEvaluator, Move,
    PositionEvaluator, UniformEvaluator, Wdl,
    laws::{self, HashedEvaluator},
};

#[test]
fn evaluators_without_a_network_obey_the_laws() {
    let games = laws::sample_games(7, 200);
    for evaluator in [&UniformEvaluator as &dyn Evaluator, &MaterialEvaluator, &HashedEvaluator] {
        laws::evaluator::check(evaluator, &games, 0.0);
        laws::evaluator::sees_sides_alike(evaluator, &games, 0.0);
    }
    laws::evaluator::counts_a_queen(&MaterialEvaluator);
    laws::evaluator::counts_a_queen(&HashedEvaluator);
}

/// Each of these breaks one law.
enum Broken {
    NoAnswer,
    SumsToTwo,
    NotANumber,
    DependsOnTheBatch,
    IgnoresMoveOrder,
    OtherValues,
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

    fn values(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Wdl>, EvaluatorError> {
        match self {
            Self::OtherValues => Ok(vec![Wdl::WIN; batch.len()]),
            _ => Ok(self.evaluate(batch)?.into_iter().map(|answer| answer.wdl).collect()),
        }
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

#[test]
#[should_panic(expected = "law 5 (values without priors)")]
fn refused_when_values_without_priors_are_others() {
    check(&Broken::OtherValues);
}

/// Each of these obeys the laws of any evaluator and breaks one about the sides.
#[derive(Clone, Copy, Debug)]
enum WrongSide {
    WhitesView,
    PriorsOfWhitesBoard,
    ExchangesWinAndLoss,
}

impl Evaluator for WrongSide {
    fn describe(&self) -> String {
        format!("{self:?}")
    }

    fn history(&self) -> usize {
        1
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut answers = MaterialEvaluator.evaluate(batch)?;
        for (answer, request) in answers.iter_mut().zip(batch) {
            match self {
                Self::WhitesView if request.game.turn().is_white() => {}
                Self::WhitesView | Self::ExchangesWinAndLoss => answer.wdl = answer.wdl.flipped(),
                Self::PriorsOfWhitesBoard => answer.priors = by_target(request.legal_moves, 1.0),
            }
        }
        Ok(answers)
    }
}

#[test]
fn what_sees_the_wrong_side_obeys_the_other_laws() {
    let games = laws::sample_games(8, 60);
    for broken in [WrongSide::WhitesView, WrongSide::PriorsOfWhitesBoard, WrongSide::ExchangesWinAndLoss] {
        laws::evaluator::check(&broken, &games, 1e-6);
    }
    laws::evaluator::sees_sides_alike(&WrongSide::ExchangesWinAndLoss, &games, 1e-6);
}

#[test]
#[should_panic(expected = "law 6 (sides)")]
fn refused_when_values_are_those_of_white() {
    laws::evaluator::sees_sides_alike(&WrongSide::WhitesView, &laws::sample_games(8, 60), 1e-6);
}

#[test]
#[should_panic(expected = "law 6 (sides)")]
fn refused_when_black_gets_the_priors_of_a_board_that_is_not_turned() {
    laws::evaluator::sees_sides_alike(&WrongSide::PriorsOfWhitesBoard, &laws::sample_games(8, 60), 1e-6);
}

#[test]
#[should_panic(expected = "law 7 (a queen more)")]
fn refused_when_win_and_loss_are_exchanged() {
    laws::evaluator::counts_a_queen(&WrongSide::ExchangesWinAndLoss);
}

/// A batch interface that is right, with a position interface that breaks one law.
#[derive(Clone, Copy)]
enum BrokenPositions {
    OtherValue,
    OnlyTheFirstCall,
    OtherOrder,
    NoTemperature,
    StaticSum,
}

/// Priors that differ from move to move, so that order and temperature show.
fn by_target(legal_moves: &[Move], temperature: f32) -> Vec<f32> {
    let weight = |one: &Move| (1.0 + f32::from(one.to() as u8)).powf(1.0 / temperature);
    let total: f32 = legal_moves.iter().map(weight).sum();
    legal_moves.iter().map(|one| weight(one) / total).collect()
}

impl Evaluator for BrokenPositions {
    fn describe(&self) -> String {
        "broken positions".into()
    }

    fn history(&self) -> usize {
        1
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut answers = MaterialEvaluator.evaluate(batch)?;
        for (answer, request) in answers.iter_mut().zip(batch) {
            answer.priors = by_target(request.legal_moves, 1.0);
        }
        Ok(answers)
    }

    fn position_evaluator(&self) -> Option<Box<dyn PositionEvaluator + '_>> {
        Some(Box::new(BrokenPosition { defect: *self, calls: 0 }))
    }
}

struct BrokenPosition {
    defect: BrokenPositions,
    calls: usize,
}

impl PositionEvaluator for BrokenPosition {
    fn value(&mut self, position: &Chess) -> Wdl {
        self.calls += 1;
        match self.defect {
            BrokenPositions::OtherValue => MaterialEvaluator.value(position).flipped(),
            BrokenPositions::OnlyTheFirstCall if self.calls > 1 => Wdl::DRAW,
            _ => MaterialEvaluator.value(position),
        }
    }

    fn static_value(&mut self, position: &Chess) -> Wdl {
        match self.defect {
            BrokenPositions::StaticSum => Wdl { win: 0.5, draw: 0.5, loss: 0.5 },
            _ => self.value(position),
        }
    }

    fn priors(&mut self, _position: &Chess, legal_moves: &[Move], temperature: f32, priors: &mut Vec<f32>) {
        *priors = match self.defect {
            BrokenPositions::NoTemperature => by_target(legal_moves, 1.0),
            _ => by_target(legal_moves, temperature),
        };
        if matches!(self.defect, BrokenPositions::OtherOrder) {
            priors.reverse();
        }
    }
}

fn check_positions(broken: BrokenPositions) {
    laws::evaluator::check(&broken, &laws::sample_games(8, 60), 1e-6);
}

#[test]
#[should_panic(expected = "position law 1 (agrees with the batch)")]
fn refused_when_a_position_has_another_value() {
    check_positions(BrokenPositions::OtherValue);
}

#[test]
#[should_panic(expected = "position law 3 (deterministic)")]
fn refused_when_an_answer_depends_on_earlier_calls() {
    check_positions(BrokenPositions::OnlyTheFirstCall);
}

#[test]
#[should_panic(expected = "law 2 (sum 1.5 is not 1)")]
fn refused_when_a_static_value_is_not_a_distribution() {
    check_positions(BrokenPositions::StaticSum);
}

#[test]
#[should_panic(expected = "position law 1 (agrees with the batch)")]
fn refused_when_priors_have_another_order() {
    check_positions(BrokenPositions::OtherOrder);
}

#[test]
#[should_panic(expected = "position law 2 (temperature)")]
fn refused_when_the_temperature_is_ignored() {
    check_positions(BrokenPositions::NoTemperature);
}
