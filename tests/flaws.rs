//! Flaws of the five systems that `docs/seeds.md` repeats, each as a test that the mistake would fail. Most of these tests are
//! beside the code they test; here are the flaws that several crates avoid together.

use std::{collections::HashSet, fmt::Write as _, path::Path, sync::Arc};

use chess::{
    CastlingMode, Color, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Limits,
    MaterialEvaluator, Score, SearchOptions, StopSignal, Wdl,
};
use dataset::{BuildConfig, EvaluationCurve, GameResult, NoObserver, Sample, Split, Stage, Store, build};
use training::{MatePawns, ValueLabel, ValueTarget};

/// A store of games, some of which are held out.
fn store(folder: &Path, games: &str) -> Store {
    let (file, output) = (folder.join("games.pgn"), folder.join("store"));
    std::fs::write(&file, games).unwrap();
    let config = BuildConfig { validation_share: 0.3, ..BuildConfig::new(&output, [&file]) };
    build(&config, &mut NoObserver).unwrap();
    Store::open(&output).unwrap()
}

fn samples(store: &Store, split: Split) -> Vec<Sample> {
    store.row_groups(split).flat_map(Result::unwrap).collect()
}

/// Sixty games of four half-moves, all different, won by White.
fn games() -> String {
    let first = ["e4 e5", "d4 d5", "c4 c5", "g3 g6", "b3 b6", "e3 e6", "d3 d6", "g4 g5", "b4 b5", "e4 c5"];
    let then = ["Nc3 Nc6", "f4 f5", "a4 a5", "h4 h5", "Na3 Na6", "f3 f6"];
    let mut text = String::new();
    for one in first {
        for other in then {
            write!(text, "[Result \"1-0\"]\n\n1. {one} 2. {other} 1-0\n\n").unwrap();
        }
    }
    text
}

/// Mates of Black were scored so that the nearer one was better for White.
#[test]
fn s1_k6_mates_of_both_sides_mirror_each_other() {
    for rule in [MatePawns::Limit, MatePawns::Ordered] {
        for moves in 1..=20 {
            assert_eq!(rule.pawns(Score::Mate(-moves), 10.0), -rule.pawns(Score::Mate(moves), 10.0));
        }
    }
    assert!(
        MatePawns::Ordered.pawns(Score::Mate(-1), 10.0) < MatePawns::Ordered.pawns(Score::Mate(-10), 10.0)
    );
}

/// Labels of twenty pawns and more were targets for a tanh that ends at ten.
#[test]
fn s1_k9_labels_end_where_the_network_does() {
    for (score, expected) in [(2500, 10.0), (-1001, -10.0), (999, 9.99)] {
        assert_eq!(MatePawns::Limit.pawns(Score::Centipawns(score), 10.0), expected);
    }
}

/// tanh(100000 / n) is 1 for every mate that ever occurs.
#[test]
fn s2_k1_a_nearer_mate_is_worth_more_in_the_numbers_that_are_learned() {
    let curve = EvaluationCurve::default();
    let values: Vec<f32> =
        (1..=60).map(|moves| curve.wdl(Score::Mate(moves), Stage::START).value()).collect();
    assert!(values.is_sorted_by(|nearer, farther| nearer > farther), "{values:?}");
    assert!(values[59] > curve.wdl(Score::Centipawns(i32::MAX), Stage::START).value());
}

/// Positions of one side were thrown away, because those of the other side looked like them.
#[test]
fn s2_k2_positions_of_both_sides_are_learned() {
    let folder = tempfile::tempdir().unwrap();
    let all = samples(&store(folder.path(), &games()), Split::Train);
    for turn in [Color::White, Color::Black] {
        let theirs: Vec<&Sample> = all.iter().filter(|sample| sample.position.turn() == turn).collect();
        assert!(theirs.len() * 3 > all.len(), "{turn}: {} of {}", theirs.len(), all.len());
        let expected = if turn.is_white() { GameResult::Win } else { GameResult::Loss };
        assert!(theirs.iter().all(|sample| sample.result == Some(expected)), "{turn}");
    }
}

/// Games without randomness repeat, and the copies then lie on both sides of the split.
#[test]
fn s2_k7_a_repeated_game_is_learned_from_or_judged_by() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), &games().repeat(3));
    let positions = store.positions(Split::Train) + store.positions(Split::Validation);
    assert_eq!(positions, 60 * 4, "each game once");
}

/// Half-moves of one game were assigned to both sides of the split.
#[test]
fn s5_k8_no_game_is_on_both_sides_of_the_split() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), &games());
    let [learned, judged]: [HashSet<u64>; 2] = [Split::Train, Split::Validation]
        .map(|split| samples(&store, split).iter().map(|sample| sample.game.unwrap()).collect());
    assert!(learned.len() > 20 && judged.len() > 5, "{} {}", learned.len(), judged.len());
    assert!(learned.is_disjoint(&judged));
}

/// Rows with a mate were dropped, and scores from endgame tables were taken for a large advantage.
#[test]
fn s3_k1_mates_are_labels_above_every_other() {
    let target =
        ValueTarget::Evaluation { curve: EvaluationCurve::Tanh { scale: 600.0 }, mates: MatePawns::Limit };
    let value = |score| {
        let label = ValueLabel { evaluation: Some(score), ..ValueLabel::default() };
        target.wdl(label).map(Wdl::value).unwrap()
    };
    assert!(value(Score::Mate(9)) > value(Score::Centipawns(20_000)));
    assert!(value(Score::Mate(1)) > value(Score::Mate(9)));
}

/// Nothing was held out.
#[test]
fn s3_k7_something_is_held_out_unless_that_is_switched_off() {
    let config = BuildConfig::new(Path::new("store"), ["games.pgn"]);
    assert!(config.validation_share > 0.0);
}

/// Sure of a move that loses the queen.
struct Blunderer;

impl Evaluator for Blunderer {
    fn describe(&self) -> String {
        "sure of a blunder".into()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut answers = MaterialEvaluator.evaluate(batch)?;
        for (answer, request) in answers.iter_mut().zip(batch) {
            let is_blunder =
                |chess_move: &chess::Move| chess_move.to_uci(CastlingMode::Standard).to_string() == "d1d7";
            if let Some(place) = request.legal_moves.iter().position(is_blunder) {
                let others = 0.1 / (request.legal_moves.len() - 1).max(1) as f32;
                answer.priors.fill(others);
                answer.priors[place] = 0.9;
            }
        }
        Ok(answers)
    }
}

/// The likeliest move was played, whatever followed it.
#[test]
fn s3_k6_a_search_overrules_the_policy() {
    let game = Game::from_fen("4k3/3p4/8/8/8/8/8/3QK3 w - - 0 1", CastlingMode::Standard).unwrap();
    let best = |name: &str, nodes| {
        let mut search =
            search::search_kind(name).unwrap().build(Arc::new(Blunderer), &SearchOptions::default(), None);
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let decision = search.run(&game, &limits, &StopSignal::default(), &mut |_| {}).unwrap();
        decision.best.to_uci(CastlingMode::Standard).to_string()
    };
    assert_eq!(best("policy", 1), "d1d7");
    assert_ne!(best("plain-puct", 400), "d1d7");
}

/// Ten positions of a game were trained on its result alone.
#[test]
fn s4_k6_a_target_mixes_result_and_evaluation() {
    let target =
        ValueTarget::Blend { result_weight: 0.25, search_weight: 0.0, curve: EvaluationCurve::default() };
    let label = |evaluation| ValueLabel {
        evaluation: Some(evaluation),
        result: Some(GameResult::Loss),
        ..ValueLabel::default()
    };
    let won = target.wdl(label(Score::Mate(1))).unwrap().value();
    let lost = target.wdl(label(Score::Mate(-1))).unwrap().value();
    assert!(won > 0.4 && lost < -0.95, "{won} {lost}");
}

/// Games without a result were learned as draws.
#[test]
fn s4_k8_a_game_without_a_result_has_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), "1. e4 e5 2. Nf3 *\n\n1. d4 d5 2. c4 1/2-1/2\n");
    let all = [samples(&store, Split::Train), samples(&store, Split::Validation)].concat();
    let results: Vec<Option<GameResult>> = all.iter().map(|sample| sample.result).collect();
    assert_eq!(results.iter().filter(|result| result.is_none()).count(), 3, "{results:?}");
    assert_eq!(results.iter().filter(|result| **result == Some(GameResult::Draw)).count(), 3, "{results:?}");
}
