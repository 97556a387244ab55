//! Tests the laws of [`Evaluator`] on networks with random weights, for every kind of head.

use chess::{Game, MaterialEvaluator, Move, Wdl, encoding::input::input_encoding, laws};

use super::*;
use crate::{Provenance, Spec, architecture::Architecture, passes::NormStatistics, synthetic};

const TOLERANCE: f32 = 1e-5;

/// A network with random weights.
fn evaluator(text: &str) -> Arc<dyn Evaluator> {
    let spec = Spec::from_toml(text).unwrap();
    let architecture = Architecture::new(&spec).unwrap();
    let parameters = architecture.initial_parameters(11).unwrap();
    let batch = synthetic::batch(&spec, &synthetic::positions(40, 3), 3);
    let mut passes = architecture.forward().unwrap();
    let statistics = passes.forward(&parameters, NormStatistics::Batch, &batch).unwrap().statistics;
    let weights = Weights::new(&architecture, &parameters, &statistics, Provenance::default());
    // Via the file format, as in play.
    let weights = Weights::from_bytes(&weights.to_bytes().unwrap(), "test").unwrap();
    // Full precision: the tests compare equal requests and must not depend on rounding.
    let options = CpuOptions { precision: Some(crate::Precision::F32), ..CpuOptions::default() };
    from_weights(&weights, options).unwrap()
}

fn evaluate(evaluator: &dyn Evaluator, games: &[&Game], moves: &[Vec<Move>]) -> Vec<Evaluation> {
    let requests: Vec<EvaluationRequest<'_>> =
        games.iter().zip(moves).map(|(game, legal_moves)| EvaluationRequest { game, legal_moves }).collect();
    evaluator.evaluate(&requests).unwrap()
}

fn obey_the_laws(text: &str) {
    let evaluator = &*evaluator(text);
    let games = synthetic::positions(21, 9);
    laws::evaluator::check(evaluator, &games, TOLERANCE);
    let moves: Vec<Vec<Move>> = games.iter().map(|game| game.legal_moves().into_iter().collect()).collect();
    let answers = evaluate(evaluator, &games.iter().collect::<Vec<_>>(), &moves);
    let differ = answers.windows(2).any(|pair| (pair[0].wdl.win - pair[1].wdl.win).abs() > 1e-4);
    assert!(differ, "a network that says the same about every position hides every mistake above");
}

#[test]
fn laws_hold_for_planes_and_win_draw_loss() {
    obey_the_laws("blocks = 2\nchannels = 16\nsqueeze_excite = { ratio = 4, blocks = [1] }");
}

#[test]
fn laws_hold_for_the_convolutional_head_and_other_encodings() {
    obey_the_laws(
        "input = \"lc0-112\"\nmoves = \"uci-1968\"\nblocks = 1\nchannels = 16\nactivation = \"swish\"\n\
         policy = { kind = \"convolution\" }",
    );
}

#[test]
fn laws_hold_for_the_dense_head_and_a_scalar_value() {
    obey_the_laws(
        "moves = \"from-to-4096\"\nstem = \"pointwise\"\nblocks = 1\nchannels = 16\nactivation = \"mish\"\n\
         policy = { kind = \"dense\", channels = 4 }\nvalue = { kind = \"scalar\" }",
    );
}

#[test]
fn laws_hold_for_layers_in_whites_view_without_a_policy() {
    obey_the_laws(
        "input = \"cogs188-14\"\npolicy = { kind = \"none\" }\n\
         body = [\n\
         { kind = \"convolution\", channels = 8 }, { kind = \"batch-norm\" },\n\
         { kind = \"activation\", name = \"stage-1\" },\n\
         { kind = \"convolution\", channels = 16 }, { kind = \"batch-norm\" }, { kind = \"activation\" },\n\
         { kind = \"residual\", from = \"stage-1\", projection = true, layers = [\n\
         { kind = \"convolution\", channels = 16 }, { kind = \"batch-norm\" } ] },\n\
         { kind = \"pool\", method = \"average\" } ]\n\
         [value]\nkind = \"pawns\"\nlimit = 10.0\nsquash = true\n\
         layers = [ { kind = \"dense\", units = 16 }, { kind = \"activation\" } ]",
    );
}

#[test]
fn both_sides_of_the_board_are_seen_alike() {
    let evaluator = evaluator("blocks = 1\nchannels = 16");
    chess::laws::evaluator::sees_sides_alike(&*evaluator, &synthetic::positions(22, 9), TOLERANCE);
}

/// An evaluator for which the side of the value's viewer, according to `input`, always loses.
struct AlwaysLost;

impl Evaluator for AlwaysLost {
    fn describe(&self) -> String {
        "lost".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let priors = |request: &EvaluationRequest<'_>| {
            vec![1.0 / request.legal_moves.len() as f32; request.legal_moves.len()]
        };
        let lost = |request| Evaluation { wdl: Wdl::LOSS, priors: priors(request), moves_left: None };
        Ok(batch.iter().map(lost).collect())
    }
}

/// The values of S1, S3 and S5 are from White's point of view; Catfish's are from the point of view of
/// the side that moved last.
#[test]
fn s1_k5_values_are_turned_to_the_side_to_move_once() {
    let white = Game::default();
    let mut black = Game::default();
    black.play_uci("e2e4").unwrap();
    for (name, expected) in [
        ("tabiya", [Wdl::LOSS, Wdl::LOSS]),
        ("aichess-13", [Wdl::LOSS, Wdl::WIN]),
        ("catfish-12", [Wdl::WIN, Wdl::WIN]),
    ] {
        let evaluator = for_the_mover(input_encoding(name).unwrap(), Arc::new(AlwaysLost));
        for (game, expected) in [&white, &black].into_iter().zip(expected) {
            let moves = game.legal_moves();
            let request = EvaluationRequest { game, legal_moves: &moves };
            assert_eq!(evaluator.evaluate(&[request]).unwrap()[0].wdl, expected, "{name}");
        }
    }
}

/// Material from White's point of view: the output of a network that learned White's results.
struct WhitesMaterial;

impl Evaluator for WhitesMaterial {
    fn describe(&self) -> String {
        "material, in White's view".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut answers = MaterialEvaluator.evaluate(batch)?;
        for (answer, request) in answers.iter_mut().zip(batch) {
            if request.game.turn().is_black() {
                answer.wdl = answer.wdl.flipped();
            }
        }
        Ok(answers)
    }
}

#[test]
fn a_turned_view_obeys_the_laws_and_sees_both_sides_alike() {
    let games = laws::sample_games(3, 30);
    let evaluator = for_the_mover(input_encoding("aichess-13").unwrap(), Arc::new(WhitesMaterial));
    laws::evaluator::check(&*evaluator, &games, 1e-6);
    laws::evaluator::sees_sides_alike(&*evaluator, &games, 1e-6);
    laws::evaluator::counts_a_queen(&*evaluator);
}

#[test]
fn what_is_the_movers_already_is_left_as_it_is() {
    let evaluator = for_the_mover(input_encoding("tabiya").unwrap(), Arc::new(MaterialEvaluator));
    assert_eq!((evaluator.history(), evaluator.describe()), (1, MaterialEvaluator.describe()));
}
