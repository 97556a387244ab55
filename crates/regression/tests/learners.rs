//! Tests learners from a store to an evaluator: laws, files, ensembles and refusals.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::{path::Path, sync::Arc};

use chess::{
    EvaluationRequest, Evaluator, Game, MaterialEvaluator,
    encoding::input::input_encoding,
    laws::{
        evaluator::{check, counts_a_queen, sees_sides_alike},
        sample_games,
    },
    pgn::PgnGame,
};
use dataset::{BuildConfig, NoObserver, build};
use network::container::format_of;
use regression::{
    FORMAT, LearnerRecipe, RegressionError, RegressionEvaluator, RegressionReport, TrainedEnsemble,
    TrainingSetting, draw_sweep, train,
};

/// A store of random games, each position evaluated by its material.
fn store(folder: &Path) -> std::path::PathBuf {
    let (games, output) = (folder.join("games.pgn"), folder.join("store"));
    let mut text = String::new();
    for game in
        sample_games(11, 150).iter().filter(|game| game.castling_mode() == chess::CastlingMode::Standard)
    {
        text.push_str(&evaluated(game));
    }
    std::fs::write(&games, text).unwrap();
    let config = BuildConfig { validation_share: 0.3, ..BuildConfig::new(&output, [&games]) };
    build(&config, &mut NoObserver).unwrap();
    output
}

/// A game as PGN with White's material as the evaluation of every position.
fn evaluated(game: &Game) -> String {
    let mut steps = game.clone();
    let mut moves = Vec::new();
    while let Some(chess_move) = steps.undo() {
        moves.push(chess_move);
    }
    let mut pgn = PgnGame::new(game);
    pgn.first_comment = format!("[%eval {:.2}]", white(&steps));
    for chess_move in moves.into_iter().rev() {
        steps.play_unchecked(chess_move);
        pgn.comments.push(format!("[%eval {:.2}]", white(&steps)));
    }
    pgn.to_string()
}

fn white(game: &Game) -> f32 {
    let movers = chess::evaluator::material_balance(game.position()) as f32;
    if game.turn().is_white() { movers } else { -movers }
}

const MEMBERS: &str = r#"
[learner.members.forest]
kind = "forest"
trees = 3
features_per_split = 20
[learner.members.lasso]
kind = "lasso"
alpha = 0.1
[learner.members.near]
kind = "nearest-neighbours"
sweep = [1, 2, 5]
original = 2
[learner.members.svr]
kind = "linear-svr"
passes = 50
"#;

fn recipe(store: &Path, learner: &str, members: &str) -> Result<LearnerRecipe, RegressionError> {
    let text = format!(
        "title = \"Tiny\"\ndata = {:?}\n[learner]\ninput = \"knights-6-10\"\n{learner}\n{members}",
        store.display().to_string()
    );
    LearnerRecipe::from_toml(&text, "tiny.toml")
}

fn trained(
    recipe: &LearnerRecipe,
    network: Option<Arc<dyn Evaluator>>,
) -> (TrainedEnsemble, RegressionReport) {
    let setting = TrainingSetting {
        name: "tiny".into(),
        commit: "commit".into(),
        hardware: "hardware".into(),
        network: network.map(|network| (network, None)),
        say: &|_| {},
    };
    train(recipe, &setting).unwrap()
}

#[test]
fn s5_k11_learners_beat_a_constant_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe(&store(folder.path()), "", MEMBERS).unwrap();
    let (ensemble, report) = trained(&recipe, None);
    assert!(report.positions > 500 && report.test_positions > 50, "{report}");
    let text = report.to_string();
    for learner in &report.learners {
        let line = text.lines().find(|line| line.contains(&format!("  {} (", learner.name))).unwrap();
        let is_worse = learner.error >= report.constant;
        assert_eq!(line.contains("worse than always the median"), is_worse, "{report}");
        // Neighbours need not beat a constant: in so few samples of other games there is none that is near.
        assert!(learner.name == "near" || learner.error < 0.5 * report.constant, "{report}");
    }
    let near = report.learners.iter().find(|learner| learner.name == "near").unwrap();
    let original = near.original.unwrap();
    assert!(
        original.neighbours == 2 && text.contains("near with 2 neighbours, as in the original"),
        "{text}"
    );
    let least = near.sweep.iter().map(|point| point.error).fold(f64::MAX, f64::min);
    assert_eq!(near.tuning_error, least, "the number of neighbours of least cross-validated error is taken");
    let best = report.learners.iter().map(|learner| learner.tuning_error).fold(f64::MAX, f64::min);
    assert!(report.ensemble < best + 0.1, "{report}");
    assert!(report.material < 1e-6, "the labels are material: {report}");
    let weights: f32 = report.learners.iter().map(|learner| learner.weight).sum();
    assert!((weights - 1.0).abs() < 1e-5);
    assert_eq!(near.sweep.iter().map(|point| point.neighbours).collect::<Vec<_>>(), [1, 2, 5]);
    let image = draw_sweep(&report).unwrap().unwrap();
    assert!(image.contains("<svg") && image.contains("neighbours"), "{image}");
    assert_eq!(ensemble.provenance.metrics["error"], report.ensemble);
    assert!(ensemble.provenance.recipe.contains("features_per_split = 20"), "{}", ensemble.provenance.recipe);
}

#[test]
fn learners_obey_the_laws_of_evaluators() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let games = sample_games(5, 20);
    for (learner, input) in [
        ("", "knights-6-10"),
        ("layout = \"planes\"", "tabiya"),
        ("combination = \"vote\"", "knights-6-10"),
        ("combination = \"vote\"", "catfish-12"),
    ] {
        let members = "[learner.members.forest]\nkind = \"forest\"\ntrees = 2\n[learner.members.svr]\nkind = \"linear-svr\"\n\
                       passes = 20\n";
        let mut recipe = recipe(&store, learner, members).unwrap();
        recipe.learner.input = input.into();
        let learners = RegressionEvaluator::new(trained(&recipe, None).0, None);
        check(&learners, &games, 0.0);
        // Learners see only what their encoding shows: those with White's view cannot treat both sides alike.
        if input_encoding(input).unwrap().breaks().is_empty() {
            sees_sides_alike(&learners, &games, 0.0);
        }
    }
    let blended = recipe(&store, "blend = { network = \"material\", share = 0.9 }", MEMBERS).unwrap();
    let network: Arc<dyn Evaluator> = Arc::new(MaterialEvaluator);
    let (ensemble, _) = trained(&blended, Some(Arc::clone(&network)));
    let blend = RegressionEvaluator::new(ensemble, Some(network));
    check(&blend, &games, 0.0);
    // Learners alone know the value of a queen only as far as their few games taught it.
    counts_a_queen(&blend);
}

/// Row 32 of the sheet: the share is chosen on held-out samples, and mixing with a perfect network leaves nothing to the
/// learners.
#[test]
fn the_share_of_a_network_is_chosen_by_its_error() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let open = recipe(&store, "blend = { network = \"material\" }", MEMBERS).unwrap();
    let (ensemble, report) = trained(&open, Some(Arc::new(MaterialEvaluator)));
    let blend = report.blend.unwrap();
    assert!(blend.error <= report.ensemble.min(blend.network_error) + 0.1, "{blend:?} {}", report.ensemble);
    assert_eq!(ensemble.blend.unwrap().share, blend.share);
}

/// White's value is the negative of Black's, whoever is to move and from whichever point of view was learned.
#[test]
fn values_are_the_movers() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let (won, lost) = ("4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1", "4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1");
    for input in ["knights-6-10", "catfish-12", "tabiya"] {
        let members = "[learner.members.svr]\nkind = \"linear-svr\"\n";
        let mut recipe = recipe(&store, "layout = \"planes\"", members).unwrap();
        recipe.learner.input = input.into();
        let evaluator = RegressionEvaluator::new(trained(&recipe, None).0, None);
        let value = |fen: &str| {
            let game = Game::from_fen(fen, chess::CastlingMode::Standard).unwrap();
            let moves = game.legal_moves();
            let request = EvaluationRequest { game: &game, legal_moves: &moves };
            evaluator.evaluate(&[request]).unwrap()[0].wdl.value()
        };
        assert!(value(won) > 0.5 && value(lost) < -0.5, "{input}: {} {}", value(won), value(lost));
    }
}

#[test]
fn s5_k4_every_vote_follows_the_scores() {
    let folder = tempfile::tempdir().unwrap();
    let members = "[learner.members.svr]\nkind = \"linear-svr\"\n";
    let recipe = recipe(&store(folder.path()), "combination = \"vote\"", members).unwrap();
    let evaluator = RegressionEvaluator::new(trained(&recipe, None).0, None);
    // The queen can be captured; no other move changes the material.
    let game = Game::from_fen("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", chess::CastlingMode::Standard).unwrap();
    let moves = game.legal_moves();
    let request = EvaluationRequest { game: &game, legal_moves: &moves };
    let priors = evaluator.evaluate(&[request]).unwrap().remove(0).priors;
    let favourite = moves.iter().zip(&priors).max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
    assert!(favourite.is_capture(), "{priors:?}");
    let reversed: Vec<_> = moves.iter().rev().copied().collect();
    let request = EvaluationRequest { game: &game, legal_moves: &reversed };
    let permuted = evaluator.evaluate(&[request]).unwrap().remove(0).priors;
    assert!(permuted.iter().rev().eq(&priors), "permuting the moves permutes the votes");
}

#[test]
fn what_is_written_answers_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let (ensemble, _) = trained(&recipe(&store(folder.path()), "", MEMBERS).unwrap(), None);
    let bytes = ensemble.to_bytes().unwrap();
    assert!(bytes == ensemble.to_bytes().unwrap(), "equal ensembles give equal files");
    let file = folder.path().join("learners.tabiya");
    std::fs::write(&file, &bytes).unwrap();
    assert_eq!(format_of(&file).as_deref(), Some(FORMAT));
    let read = TrainedEnsemble::read(&file).unwrap();
    assert_eq!((&read.provenance.name, read.provenance.metrics.len()), (&ensemble.provenance.name, 6));
    let [before, after] = [ensemble, read].map(|ensemble| RegressionEvaluator::new(ensemble, None));
    for game in sample_games(8, 30).iter().filter(|game| !game.legal_moves().is_empty()) {
        let moves = game.legal_moves();
        let request = [EvaluationRequest { game, legal_moves: &moves }];
        assert_eq!(before.evaluate(&request).unwrap(), after.evaluate(&request).unwrap());
    }
}

#[test]
fn damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (ensemble, _) = trained(&recipe(&store(folder.path()), "", MEMBERS).unwrap(), None);
    let bytes = ensemble.to_bytes().unwrap();
    let refused = |bytes: &[u8]| TrainedEnsemble::from_bytes(bytes, "x.tabiya").err().unwrap().to_string();
    let replaced = |from: &str, to: &str| {
        let (text, to) = (String::from_utf8_lossy(&bytes[..8000]).into_owned(), to.as_bytes());
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes());
        let at = at.unwrap_or_else(|| panic!("{from} is not in {text}"));
        [&bytes[..at], to, &bytes[at + from.len()..]].concat()
    };
    for (from, to, expected) in [
        (
            "\\\"lasso\\\",\\\"kind\\\":\\\"line\\\"",
            "\\\"lasso\\\",\\\"kind\\\":\\\"lint\\\"",
            "found lint, expected one of",
        ),
        // A number of features different from that of the matrices.
        ("knights-6-10\\\"", "knights-6\\\"   ", "64"),
        ("\\\"input\\\":\\\"knights-6-10", "\\\"input\\\":\\\"knights-6-11", "knights-6-11"),
        ("\\\"limit\\\":9.0", "\\\"limit\\\":0.0", "above 0 to 100 pawns"),
        (FORMAT, "tabiya-regressioN", "header key `format`"),
        ("near.count", "near.counk", "near.count"),
    ] {
        let message = refused(&replaced(from, to));
        assert!(message.contains(expected), "{from}: {message}");
    }
    for length in [0, 7, 100, bytes.len() / 2, bytes.len() - 1] {
        assert!(refused(&bytes[..length]).contains("x.tabiya"));
    }
}

#[test]
fn recipes_that_cannot_be_are_refused() {
    let place = Path::new("stores/x");
    let lasso = "[learner.members.a]\nkind = \"lasso\"\n";
    for (learner, members, expected) in [
        ("", "", "missing field `members`"),
        ("", "[learner.members]\n", "learner.members = nothing: expected at least one"),
        ("limit = 0", lasso, "learner.limit = 0: expected above 0 to 100"),
        ("positions = 0", lasso, "learner.positions = 0"),
        ("validation_positions = 1", lasso, "learner.validation_positions = 1: expected at least 2"),
        ("depth = 3", lasso, "unknown field `depth`"),
        ("layout = \"rows\"", lasso, "unknown variant `rows`"),
        ("weights = { b = 1 }", lasso, "learner.weights = b: expected one of a"),
        ("weights = { a = -1 }", lasso, "learner.weights.a = -1: expected 0 or more"),
        ("weights = { a = 0 }", lasso, "a sum of 0"),
        ("blend = { network = \"n\", share = 1.5 }", lasso, "learner.blend.share = 1.5: expected 0 to 1"),
        ("layout = \"planes\"\nblend = { net = \"n\" }", lasso, "unknown field `net`"),
        ("", "[learner.members.a]\nkind = \"gaussian\"\n", "unknown variant `gaussian`"),
        ("", "[learner.members.a]\nkind = \"lasso\"\nalpha = -1\n", "learner.members.a.alpha = -1"),
        ("", "[learner.members.a]\nkind = \"lasso\"\nbeta = 1\n", "unknown field `beta`"),
        (
            "",
            "[learner.members.a]\nkind = \"forest\"\ntrees = 0\n",
            "learner.members.a.trees = 0: expected at least 1",
        ),
        ("", "[learner.members.a]\nkind = \"forest\"\nfeatures_per_split = 75\n", "= 75: expected 1 to 74"),
        ("", "[learner.members.a]\nkind = \"linear-svr\"\ncost = 0\n", "learner.members.a.cost = 0"),
        ("", "[learner.members.a]\nkind = \"nearest-neighbours\"\n", "candidates in `sweep`"),
        ("", "[learner.members.a]\nkind = \"nearest-neighbours\"\nneighbours = 0\n", "at least 1"),
    ] {
        let message = recipe(place, learner, members).err().unwrap().to_string();
        assert!(
            message.contains(expected) && message.contains("tiny.toml"),
            "{learner} {members}: {message}"
        );
    }
    assert_eq!(recipe(place, "", lasso).unwrap().store(), place);
    let text = format!("title = \"T\"\ndata = \"x\"\n[learner]\ninput = \"knights-7\"\n{lasso}");
    let message = LearnerRecipe::from_toml(&text, "tiny.toml").err().unwrap().to_string();
    assert!(message.contains("tiny.toml: learner.input = knights-7: expected one of tabiya"), "{message}");
}

#[test]
fn more_positions_than_there_are_mean_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let lasso = "[learner.members.lasso]\nkind = \"lasso\"\nalpha = 0.1\n";
    let positions = |learner: &str| trained(&recipe(&store, learner, lasso).unwrap(), None).1.positions;
    assert_eq!(positions("positions = 9_000_000_000_000_000_000"), positions(""));
}

#[test]
fn too_few_samples_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let setting = || TrainingSetting {
        name: "tiny".into(),
        commit: String::new(),
        hardware: String::new(),
        network: None,
        say: &|_| {},
    };
    let near = "[learner.members.near]\nkind = \"nearest-neighbours\"\nneighbours = 50\n";
    let mut few = recipe(&store, "", near).unwrap();
    few.learner.positions = 10;
    let message = train(&few, &setting()).err().unwrap().to_string();
    assert!(
        message.contains("learner near: found ")
            && message.contains("expected at least 50, the number of neighbours"),
        "{message}"
    );
    let unlabelled = folder.path().join("unlabelled");
    let games = folder.path().join("plain.pgn");
    std::fs::write(&games, "1. e4 e5 2. Nf3 *\n\n1. d4 d5 2. c4 *\n").unwrap();
    build(&BuildConfig { validation_share: 0.5, ..BuildConfig::new(&unlabelled, [&games]) }, &mut NoObserver)
        .unwrap();
    let message = train(&recipe(&unlabelled, "", near).unwrap(), &setting()).err().unwrap().to_string();
    assert!(message.contains("unlabelled") && message.contains("no evaluated samples"), "{message}");
}
