//! Every recipe of the repository from an empty folder to a report, with games that Stockfish plays, at a size that takes
//! seconds.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use toml::{Table, Value};

/// Runs the program, which must succeed.
fn success(folder: &Path, arguments: &[&str]) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_tabiya")).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// Recipes of commands other than `tabiya run`, with the rest of their command lines.
const OF_OTHER_COMMANDS: [(&str, &[&str]); 6] = [
    ("catfish-v0", &["selfplay", "--generations", "1", "--threads", "1"]),
    ("selfplay-toy", &["selfplay", "--generations", "1", "--threads", "1"]),
    ("selfplay-default", &["selfplay", "--generations", "1", "--threads", "1"]),
    ("reinforce", &["reinforce", "--from", "cnn", "--engine", "uci=stockfish,nodes=20", "--iterations", "1"]),
    (
        "aichess-reinforce",
        &["reinforce", "--from", "cnn", "--engine", "uci=stockfish,nodes=20", "--iterations", "1"],
    ),
    ("you", &["train", "--from", "human"]),
];

/// Widths of networks are cut to these: the test is of each layer's kind, and wide layers only take time.
const WIDTHS: [(&str, i64); 6] =
    [("channels", 8), ("units", 8), ("hidden", 8), ("width", 64), ("policy_width", 64), ("repeat", 1)];

/// Lengths and sizes, wherever they occur in a recipe.
const SIZES: [(&str, i64); 22] = [
    ("steps", 2),
    ("batch", 8),
    ("threads", 1),
    ("shuffle_window", 64),
    ("validation_interval", 1_000_000),
    ("validation_positions", 64),
    ("statistics_positions", 32),
    ("positions", 300),
    ("most_plies", 12),
    ("games_at_once", 2),
    ("window", 2),
    ("opening_plies", 2),
    ("quick_nodes", 2),
    ("trees", 2),
    ("min-plies", 4),
    ("min-ply", 0),
    ("min-plies-left", 1),
    ("samples-per-game", 30),
    ("nodes", 4),
    ("movetime", 5),
    ("games", 16),
    ("times", 1),
];

fn recipes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes")
}

/// The recipe of the repository, cut down, with what is left of its section `[data]`.
fn small(name: &str) -> Table {
    let text = files::recipe::read(&recipes().join(name)).unwrap();
    let recipe: Table = text.parse().unwrap();
    // A network that starts from another one has the shape of that network.
    let start = recipe.get("start").and_then(Value::as_str);
    let kept = recipe.get("network").filter(|_| start == Some("cnn")).cloned();
    let mut whole = Value::Table(recipe);
    shrink(&mut whole);
    let Value::Table(mut recipe) = whole else { panic!("{name}") };
    if let Some(network) = kept {
        recipe.insert("network".into(), network);
    }
    // Schedules with decay and warm-up take steps.
    let schedule = "kind = \"cosine\"\npeak = 1e-3\nlast = 1e-4\nwarmup = 0\n";
    if recipe.contains_key("training") {
        recipe.insert("schedule".into(), Value::Table(schedule.parse().unwrap()));
        recipe["training"].as_table_mut().unwrap().remove("precision");
    }
    recipe
}

fn shrink(value: &mut Value) {
    match value {
        Value::Table(table) => {
            for (key, value) in table.iter_mut() {
                let most = WIDTHS.iter().chain(&SIZES).find(|(name, _)| name == key).map(|(_, most)| *most);
                match (value.as_integer(), most) {
                    (Some(found), Some(most)) => *value = Value::Integer(found.min(most)),
                    _ => shrink(value),
                }
                if key == "validation" || key == "validation_share" {
                    *value = Value::Float(0.5);
                }
                if let (Some(engine), true) = (value.as_str(), key == "engine") {
                    *value = engine
                        .replace("nodes=1000", "nodes=20")
                        .replace("nodes=200", "nodes=20")
                        .replace("depth=10", "depth=1")
                        .into();
                }
                if let (Some(command), true) = (value.as_str(), key == "command") {
                    *value = short(command).into();
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(shrink),
        _ => {}
    }
}

/// A measurement cut down to a few moves.
fn short(command: &str) -> String {
    let mut words: Vec<String> = command.split_whitespace().map(String::from).collect();
    if let Some(place) = words.iter().position(|word| word == "--games") {
        words[place + 1] = "2".into();
        words.extend(["--max-moves", "3"].map(String::from));
    }
    if words[0] == "ladder" {
        words.extend(["--probe", "2"].map(String::from));
    }
    words.join(" ")
}

#[test]
#[ignore = "needs Stockfish"]
fn stockfish_every_recipe_runs_from_an_empty_folder() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    // The store for recipes that name a finished one, and the games from which `you` learns.
    success(
        folder,
        &["data", "generate", "games.pgn", "--games", "24", "--engine", "uci=stockfish,nodes=20"],
    );
    success(folder, &["data", "build", "stores/given", "games.pgn", "--validation", "0.4", "--history", "8"]);
    let mut names: Vec<String> = fs::read_dir(recipes())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    // Its network comes from another recipe.
    names.retain(|name| name != "knights-blend");
    names.push("knights-blend".into());
    for name in &names {
        let mut recipe = small(name);
        if let Some(supervised) = recipe.get_mut("supervised") {
            supervised["data"] = "stores/given".into();
        }
        fs::create_dir_all(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("recipe.toml"), recipe.to_string()).unwrap();
        let is_made = recipe.get("data").is_some_and(Value::is_table);
        let mut arguments = match OF_OTHER_COMMANDS.iter().find(|(other, _)| other == name) {
            Some((_, [command, rest @ ..])) => [&[*command, name], rest].concat(),
            _ => vec!["run", name],
        };
        if name == "you" {
            let games = fs::read_to_string(folder.join("games.pgn")).unwrap();
            let white = games.lines().find_map(|line| line.strip_prefix("[White \"")?.strip_suffix("\"]"));
            let player = ["data", "personal", "add", "games.pgn", "--player", white.unwrap()];
            success(folder, &player);
        } else if arguments[0] == "run" && !is_made {
            arguments.extend(["--data", "stores/given"]);
        }
        success(folder, &arguments);
        let runs = folder.join("runs").join(name);
        assert!(runs.is_dir(), "{name} left no run");
        if arguments[0] == "run" {
            assert!(runs.join("report/report.json").exists(), "{name} has no report");
        }
    }
}

/// The whole course of a recipe, from nothing to the published numbers, in a minute.
#[test]
#[ignore = "needs Stockfish"]
fn stockfish_a_recipe_shows_its_course_at_a_small_scale() {
    let place = tempfile::tempdir().unwrap();
    let recipe = recipes().join("knights-e1").display().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["run", &recipe, "--scale", "0.001"])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8(output.stdout).unwrap();
    let error = told.lines().find(|line| line.contains("the paper: 2.049 pawns; yours, on "));
    assert!(
        error.is_some_and(|line| line.contains("; a constant: ") && line.contains("; different: ")),
        "{told}"
    );
    assert!(place.path().join("runs/knights-e1-at-0.001/report/report.md").exists());
}

/// A store that several recipes share is made by the first of them: they must all ask for the same.
#[test]
fn recipes_that_share_a_store_make_it_alike() {
    let mut stores: BTreeMap<String, (String, Value)> = BTreeMap::new();
    let mut shared = 0;
    for entry in fs::read_dir(recipes()).unwrap() {
        let path = entry.unwrap().path();
        let recipe: Table = files::recipe::read(&path).unwrap().parse().unwrap();
        let Some(data) = recipe.get("data").filter(|data| data.is_table()) else { continue };
        assert!(data.get("generate").is_some(), "{} needs files that nobody has", path.display());
        let name = path.display().to_string();
        let store = data["store"].as_str().unwrap().to_string();
        if let Some((other, known)) = stores.get(&store) {
            assert_eq!(known, data, "{other} and {name} make {store} differently");
            shared += 1;
        } else {
            stores.insert(store, (name, data.clone()));
        }
    }
    assert!(shared >= 5, "only {shared} recipes share a store");
}
