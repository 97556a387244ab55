//! Every recipe of the repository is a plan that this program accepts. The recipes of learners and those of few users are run at a
//! small size.

use crate::program;

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use program::{Arguments, both, failure, read_json, success};

/// Everything that a command printed, which must succeed.
fn printed(folder: &Path, arguments: &(impl Arguments + ?Sized)) -> String {
    let (result, progress) = both(folder, arguments);
    result + &progress
}

fn recipes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes")
}

/// Recipes of `tabiya selfplay` and `tabiya reinforce`, and one that takes its network from `--from`; their own tests read them.
const OF_OTHER_COMMANDS: [&str; 6] =
    ["aichess-reinforce", "catfish-v0", "reinforce", "selfplay-default", "selfplay-toy", "you"];

#[test]
fn every_recipe_is_a_plan() {
    let mut planned = 0;
    for entry in fs::read_dir(recipes()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(path.join("README.md").exists(), "{name} says nothing of itself");
        if OF_OTHER_COMMANDS.contains(&name.as_str()) {
            continue;
        }
        let plan = success(&recipes(), &["run", &path.display().to_string(), "--plan"]);
        assert!(plan.contains("tabiya train") && plan.contains(&name), "{plan}");
        planned += 1;
    }
    assert!(planned >= 10, "found {planned} recipes");
}

/// A folder with games of random movers in place of Stockfish's: each position is evaluated as level or won.
fn stage() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    success(folder.path(), "match material random --games 60 --max-moves 30 --pgn games.pgn");
    let games = fs::read_to_string(folder.path().join("games.pgn")).unwrap();
    fs::write(folder.path().join("games.pgn"), with_evaluations(&games)).unwrap();
    folder
}

/// A comment with an evaluation after each move: ten centipawns more for White with every token of the game.
fn with_evaluations(games: &str) -> String {
    let mut text = String::new();
    for block in games.split("\n\n") {
        if block.starts_with('[') {
            text.push_str(block);
        } else {
            for (number, word) in without_comments(block).split_whitespace().enumerate() {
                text.push_str(word);
                if word.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
                    write!(text, " {{ [%eval {:.2}] }}", number as f32 / 10.0).unwrap();
                }
                text.push(' ');
            }
        }
        text.push_str("\n\n");
    }
    text
}

fn without_comments(moves: &str) -> String {
    let mut depth = 0;
    moves
        .chars()
        .filter(|letter| {
            depth += i32::from(*letter == '{');
            let is_outside = depth == 0;
            depth -= i32::from(*letter == '}');
            is_outside
        })
        .collect()
}

/// A recipe of the repository, made small and pointed at the games of the stage.
fn small(folder: &Path, name: &str, changes: &[(&str, &str)]) -> String {
    let mut text = fs::read_to_string(recipes().join(name).join("recipe.toml")).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{name}: {from}");
        text = text.replace(from, to);
    }
    let file = format!("{name}.toml");
    fs::write(folder.join(&file), text).unwrap();
    file
}

const HELD_OUT: (&str, &str) = ("validation = 0.02", "validation = 0.3");

#[test]
fn learners_are_trained_played_and_reported() {
    let stage = stage();
    let folder = stage.path();
    let recipe = small(
        folder,
        "knights-classical",
        &[HELD_OUT, ("positions = 50_000", "positions = 800"), ("--games 20", "--games 2 --max-moves 5")],
    );
    let said = printed(folder, &["run", &recipe, "--data", "games.pgn"]);
    assert!(said.contains("always the median") && said.contains("25 neighbours"), "{said}");
    assert!(said.contains("with 2 neighbours, as in the original"), "{said}");
    let run = folder.join("runs/knights-classical");
    let result = read_json(&run.join("result.json"));
    assert_eq!(result["kind"], "tabiya-regression-1");
    assert_eq!(result["learners"].as_array().unwrap().len(), 4);
    assert!(fs::read_to_string(run.join("sweep.svg")).unwrap().contains("<svg"));
    assert_eq!(read_json(&run.join("evaluation/random/result.json"))["kind"], "tabiya-match-1");
    let sections = read_json(&run.join("report/report.json"));
    assert_eq!(sections["sections"].as_array().unwrap().len(), 2, "the errors and the match");
    assert_eq!(printed(folder, &["run", &recipe, "--data", "games.pgn"]).matches(": done").count(), 4);

    let learners = run.join("learners.tabiya").display().to_string();
    let about = success(folder, &["net", "info", &learners]);
    assert!(about.contains("knights-classical: learners") && about.contains("kind = \"forest\""), "{about}");
    for search in ["puct", "policy", "alpha-beta"] {
        let player = format!("net={learners},search={search},nodes=8");
        success(folder, &format!("match {player} random --games 2 --max-moves 3"));
    }
    let message = failure(folder, &["train", &recipe, "--steps", "5"]);
    assert!(message.contains("--steps") && message.contains("[learner]"), "{message}");
}

#[test]
fn a_blend_keeps_to_its_network() {
    let stage = stage();
    let folder = stage.path();
    let shrunk = |name: &str, more: &[(&str, &str)]| {
        let all = [&[HELD_OUT, ("--games 200", "--games 2 --max-moves 5")][..], more].concat();
        small(folder, name, &all)
    };
    let network = shrunk(
        "knights-el",
        &[
            ("steps = 50_782", "steps = 4\nthreads = 1"),
            ("batch = 1024", "batch = 64"),
            ("units = 256", "units = 8"),
        ],
    );
    let blend = shrunk("knights-blend", &[("positions = 50_000", "positions = 800")]);
    // Before a game is read: the recipe's own games take half an hour.
    let message = failure(folder, &["run", &blend, "--data", "games.pgn"]);
    assert!(
        message.contains("learner.blend.network: cannot read runs/knights-el/network.tabiya"),
        "{message}"
    );
    assert!(message.contains("`tabiya run recipes/knights-el` trains it"), "{message}");
    assert!(!folder.join("stores").exists() && !folder.join("runs").exists());
    printed(folder, &["run", &network, "--data", "games.pgn"]);
    let said = printed(folder, &["run", &blend, "--data", "games.pgn"]);
    assert!(said.contains("0.90 of it, the rest together"), "{said}");
    let player = "net=runs/knights-blend/learners.tabiya,search=value,nodes=50";
    let play = format!("match {player} random --games 2 --max-moves 3");
    printed(folder, &play);
    let recipe_of_network = || fs::read_to_string(folder.join("runs/knights-el/recipe.toml")).unwrap();
    let before = recipe_of_network();
    let message = failure(folder, &["train", &blend, "--name", "knights-el"]);
    assert!(message.contains("runs/knights-el holds the run of a network"), "{message}");
    assert_eq!(recipe_of_network(), before);
    fs::copy(
        folder.join("runs/knights-blend/learners.tabiya"),
        folder.join("runs/knights-el/network.tabiya"),
    )
    .unwrap();
    let message = failure(folder, &play);
    assert!(
        message.contains("knights-el/network.tabiya") && message.contains("another network"),
        "{message}"
    );
    fs::remove_file(folder.join("runs/knights-el/network.tabiya")).unwrap();
    let message = failure(folder, &play);
    assert!(message.contains("cannot read runs/knights-el/network.tabiya"), "{message}");
}

#[test]
fn the_policy_of_knights_and_kernels_is_trained_and_plays() {
    let stage = stage();
    let folder = stage.path();
    let changes = [
        HELD_OUT,
        ("steps = 10_000", "steps = 3\nthreads = 1"),
        ("units = 1024", "units = 16"),
        ("units = 2048", "units = 16"),
        ("--games 200", "--games 2 --max-moves 5"),
    ];
    let recipe = small(folder, "knights-sl", &changes);
    printed(folder, &["run", &recipe, "--data", "games.pgn"]);
    assert_eq!(read_json(&folder.join("runs/knights-sl/summary.json"))["step"], 3);
}

#[test]
fn the_self_play_of_catfish_goes_round() {
    let folder = tempfile::tempdir().unwrap();
    let changes = [
        ("channels = 512", "channels = 8"),
        ("units = 1024", "units = 16"),
        ("units = 512", "units = 16"),
        ("nodes = 100", "nodes = 4\nmost_plies = 12"),
        ("validation_share = 0.05", "validation_share = 0.5"),
        ("games = 40", "games = 2"),
        ("steps = 300", "steps = 3\nthreads = 1"),
    ];
    let recipe = small(folder.path(), "catfish-v0", &changes);
    let said = printed(folder.path(), &format!("selfplay {recipe} --generations 1 --threads 1"));
    assert!(said.contains("generation 1"), "{said}");
}
