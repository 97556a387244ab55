//! `[data]` of a recipe as users see it: games that are generated and labelled, interrupted and continued, replaced by others, and
//! the messages if that is impossible.
#![cfg(unix)]

use crate::program;

use std::{fs, path::Path, process::Stdio};

use program::{command, failure, progress, signal, success, wait_until};

const TRAINING: &str = "[training]\nsteps = 2\nbatch = 8\nthreads = 1\nvalidation_interval = 1000000\n\
    validation_positions = 64\nstatistics_positions = 64\n[schedule]\nkind = \"cosine\"\npeak = 0.002\nlast = 0.000002\nwarmup = 0\n\
    [losses]\nvalue_target = { from = \"result\" }\n[network]\nblocks = 1\nchannels = 8\nvalue = { channels = 2, hidden = 8 }\n\
    [search]\nlimits = { nodes = 4 }\n[[evaluation]]\nname = \"random\"\ncommand = \"match {player} random --games 2 --max-moves 4\"\n";

/// Games of this program without a network, labelled by it with other limits.
const DATA: &str = "generate = { engine = \"net=material,nodes=20\", games = 12, length = \"10\" }\n\
    label = { engine = \"net=material,nodes=3\" }\noptions = { validation = 0.3 }\n";

/// Writes `trial.toml` with a store and the section that makes it.
fn recipe(folder: &Path, data: &str) {
    let text = format!("title = \"Trial\"\n[data]\nstore = \"stores/trial\"\n{data}\n{TRAINING}");
    fs::write(folder.join("trial.toml"), text).unwrap();
}

#[test]
fn games_are_generated_and_labelled_and_then_done() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    recipe(folder, DATA);
    let plan = success(folder, "run trial.toml --plan");
    let lines: Vec<&str> = plan.lines().collect();
    assert!(
        lines[0].starts_with("tabiya data generate stores/trial.pgn --engine net=material,nodes=20 --games 12 --length 10  # about "),
        "{plan}"
    );
    assert!(
        lines[1].starts_with("tabiya data label stores/trial --engine net=material,nodes=3 stores/trial.pgn"),
        "{plan}"
    );
    assert!(lines[2].starts_with("tabiya train ") && lines[2].contains("16 samples at "), "{plan}");
    assert!(lines[3].contains("2 games of 60 moves") && lines[5].starts_with("# in total about "), "{plan}");
    assert!(!folder.join("stores").exists() && !folder.join("runs").exists());

    let said = progress(folder, "run trial.toml");
    assert!(
        said.contains("[data] generate: tabiya data generate") && said.contains("[data]: tabiya data label"),
        "{said}"
    );
    let manifest = fs::read_to_string(folder.join("stores/trial/manifest.json")).unwrap();
    assert!(manifest.contains("\"nodes 3\"") || manifest.contains("3 nodes"), "{manifest}");

    // Once the store exists, its games are no longer needed.
    fs::remove_file(folder.join("stores/trial.pgn")).unwrap();
    let again = progress(folder, "run trial.toml");
    assert_eq!(again.lines().filter(|line| line.ends_with(": done")).count(), 5, "{again}");
    assert!(!folder.join("stores/trial.pgn").exists());
    let plan = success(folder, "run trial.toml --plan");
    assert_eq!(plan.matches("already there").count(), 5, "{plan}");
}

#[test]
fn an_interrupted_generation_is_continued_by_the_same_command() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    recipe(folder, &DATA.replace("games = 12", "games = 400").replace("length = \"10\"", "length = \"40\""));
    let mut run = command(folder, "run trial.toml");
    let child = run.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let games = folder.join("stores/trial.pgn.generating/games.pgn");
    let count = || fs::read_to_string(&games).unwrap_or_default().matches("[Event ").count();
    wait_until("a game", || count() >= 3);
    let output = signal(child, "TERM");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let kept = count();
    assert!((3..400).contains(&kept) && !folder.join("stores/trial").exists());

    // Games that differ from those begun are refused, and nothing of those is lost.
    recipe(folder, &DATA.replace("games = 12", "games = 401").replace("length = \"10\"", "length = \"40\""));
    let message = failure(folder, "run trial.toml");
    assert!(message.contains("started with games = 400, not 401"), "{message}");
    assert_eq!(count(), kept);
    recipe(folder, &DATA.replace("games = 12", "games = 400").replace("length = \"10\"", "length = \"40\""));
    let said = progress(folder, "run trial.toml");
    assert!(said.lines().next().unwrap().ends_with("--resume"), "{said}");
    let all = fs::read_to_string(folder.join("stores/trial.pgn")).unwrap();
    assert_eq!(all.matches("[Event ").count(), 400);
}

#[test]
fn a_store_made_otherwise_is_refused_by_every_recipe_that_names_it() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    recipe(folder, DATA);
    success(folder, "run trial.toml");
    // Another experiment with the same store uses it.
    fs::copy(folder.join("trial.toml"), folder.join("second.toml")).unwrap();
    let said = progress(folder, "run second.toml");
    assert!(said.contains("[data] generate: done") && said.contains("[data]: done"), "{said}");
    // An experiment that wants other games does not.
    let text = fs::read_to_string(folder.join("trial.toml")).unwrap();
    fs::write(folder.join("third.toml"), text.replace("games = 12", "games = 14")).unwrap();
    let message = failure(folder, "run third.toml");
    assert!(message.contains("stores/trial was made by") && message.contains("remove it"), "{message}");
    // A store of unknown origin is used, with a message that says so.
    fs::remove_file(folder.join("stores/trial.made.json")).unwrap();
    let said = progress(folder, "run third.toml");
    assert!(
        said.contains("stores/trial already exists, made by other commands, and is used as it is"),
        "{said}"
    );
}

#[test]
fn other_games_or_another_store_take_the_place_of_the_recipes() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    recipe(folder, &DATA.replace("label", "# label"));
    success(folder, "match random random,name=other --games 8 --max-moves 20 --pgn my.pgn");
    // Labels of given games were "not estimated": how many positions there are was not known.
    recipe(folder, DATA);
    let plan = success(folder, "run trial.toml --data my.pgn --plan");
    let label = plan.lines().find(|line| line.starts_with("tabiya data label")).unwrap();
    assert!(
        label.contains(" of CPU time: about ") && label.contains(" positions of its files at "),
        "{plan}"
    );
    recipe(folder, &DATA.replace("label", "# label"));
    let said = progress(folder, "run trial.toml --data my.pgn");
    assert!(
        said.contains("[data]: tabiya data build stores/trial-of-my.pgn my.pgn --validation 0.3"),
        "{said}"
    );
    assert!(said.contains("--data stores/trial-of-my.pgn"), "{said}");
    assert!(!folder.join("stores/trial.pgn").exists());
    // The network was not trained on the recipe's own data.
    let message = failure(folder, "run trial.toml");
    assert!(message.contains("training") && message.contains("another name"), "{message}");
    fs::remove_dir_all(folder.join("runs")).unwrap();
    let said = progress(folder, "run trial.toml --data stores/trial-of-my.pgn");
    assert!(!said.contains("[data]") && said.contains("--data stores/trial-of-my.pgn"), "{said}");
    let message = failure(folder, "run trial.toml --data missing.pgn");
    assert!(message.contains("missing.pgn"), "{message}");
}

#[test]
fn what_cannot_be_done_is_said_once_with_what_helps() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let refused = |data: &str| {
        recipe(folder, data);
        failure(folder, "run trial.toml")
    };
    for (data, expected) in [
        (
            "generat = { engine = \"net=material\" }",
            "unknown field `generat`, expected one of `store`, `options`, `sources`, `generate`, `extract`, `label`, `neighbours`",
        ),
        ("generate = { games = 5 }", "[data] generate: expected a table with `engine`"),
        ("generate = { engine = \"net=material,nodes=9\", gams = 5 }", "unexpected argument '--gams'"),
        ("label = { engine = \"net=material,nodes=9\" }", "found no games or positions"),
        ("sources = \"games.pgn\"", "expected a list of files"),
    ] {
        let message = refused(data);
        assert!(message.contains(expected) && message.contains("trial.toml"), "{message}");
        assert!(!folder.join("stores").exists() && !folder.join("runs").exists(), "{data} left something");
    }
    let message = refused("generate = { engine = \"uci=/nowhere/stockfish,nodes=9\", games = 2 }");
    assert_eq!(message.matches("apt install stockfish").count(), 1, "{message}");
    assert_eq!(message.matches("error: ").count(), 1, "{message}");
    assert!(message.contains("stopped at [data] generate: `tabiya data generate "), "{message}");
    assert!(message.contains("cannot start the engine \"/nowhere/stockfish\""), "{message}");
    let plan = success(folder, "run trial.toml --plan");
    assert!(plan.contains("# not estimated: ") && plan.contains("apt install stockfish"), "{plan}");
}

#[test]
fn recipes_of_other_commands_name_their_command() {
    let place = tempfile::tempdir().unwrap();
    let recipes = Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes");
    for (name, expected) in [
        ("catfish-v0", "tabiya selfplay "),
        ("selfplay-toy", "tabiya selfplay "),
        ("reinforce", "tabiya reinforce "),
        ("you", "--from"),
    ] {
        let recipe = recipes.join(name).display().to_string();
        for command in ["run", "compare", "train"] {
            if (name, command) == ("you", "train") {
                continue;
            }
            let message = failure(place.path(), &[command, &recipe]);
            assert!(message.contains(expected) && message.contains(&recipe), "{command} {name}: {message}");
            assert!(!message.contains("unknown field"), "{command} {name}: {message}");
        }
    }
    let text = fs::read_to_string(recipes.join("knights-el/recipe.toml")).unwrap();
    fs::write(place.path().join("misspelt.toml"), text.replace("[network]", "[netwrok]")).unwrap();
    let message = failure(place.path(), "train misspelt.toml");
    let line = text.lines().position(|line| line == "[network]").unwrap() + 1;
    assert!(message.contains("misspelt.toml") && message.contains(&format!("line {line}")), "{message}");
}
