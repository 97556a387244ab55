//! `tabiya run` and `tabiya compare` as a user runs them: one file, from games to a report.

use crate::program;

use std::{path::Path, process::Stdio};

use serde_json::Value;

use program::{both, command, failure, progress, read_json, signal, success, tabiya, wait_until};

const TRAINING: &str = "[training]\nsteps = 4\nbatch = 16\nthreads = 1\nvalidation_interval = 1000000\n\
    validation_positions = 64\nstatistics_positions = 64\nlog_interval = 1\n[schedule]\nkind = \"cosine\"\npeak = 0.002\n\
    last = 0.000002\nwarmup = 0\n[losses]\nvalue_target = { from = \"result\" }\n";

/// A folder with games of random movers and the experiments `tiny.toml` and `other.toml`.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    success(folder.path(), "match random random,name=other --games 40 --max-moves 20 --pgn games.pgn");
    for (name, channels, search) in [("tiny", 8, "value"), ("other", 16, "policy")] {
        let text = format!(
            "title = \"The {name} experiment\"\n[data]\nstore = \"games.store\"\nsources = [\"games.pgn\"]\n\
             options = {{ validation = 0.2 }}\n[network]\nblocks = 1\nchannels = {channels}\n\
             value = {{ channels = 2, hidden = 8 }}\n[search]\nkind = \"{search}\"\nlimits = {{ nodes = 40 }}\n\
             options = {{ MateFirst = true }}\n[[evaluation]]\nname = \"random\"\ncommand = \"match {{player}} random \
             --games 2 --max-moves 10\"\n[[evaluation]]\nname = \"held-out\"\ncommand = \"net validate {{network}} \
             {{store}} --recipe {{recipe}}\"\n[[published]]\nwhat = \"games won\"\nmeasured = {{ step = \"random\", metric = \"won\" }}\n\
             value = 99.86\nunit = \"%\"\nof = 10000\n[[published]]\nwhat = \"value\"\nmeasured = {{ step = \"held-out\", \
             metric = \"value_loss\" }}\nvalue = 0.5\nunit = \"nats\"\nbaseline = 1.0\ndifferent = \"random games\"\n\
             [[published]]\nwhat = \"rating\"\nvalue = \"none\"\n{TRAINING}"
        );
        std::fs::write(folder.path().join(format!("{name}.toml")), text).unwrap();
    }
    folder
}

#[test]
fn one_file_gives_a_store_a_network_measurements_and_a_report() {
    let workplace = workplace();
    let folder = workplace.path();
    let (told, said) = both(folder, "run tiny.toml");
    assert!(said.contains("[data]: tabiya data build games.store games.pgn --validation 0.2"), "{said}");
    // The console ends with what the report opens with.
    let lines: Vec<&str> = told.lines().rev().take(3).collect();
    assert_eq!(lines[0], "rating: the paper: none; no step measures it", "{told}");
    assert!(
        lines[1].starts_with("value: the paper: 0.5 nats (a constant: 1); yours, on ")
            && lines[1].contains(" positions: ")
            && lines[1].contains("; a constant: ")
            && lines[1].ends_with("; different: random games"),
        "{told}"
    );
    assert!(lines[2].starts_with("games won: the paper: 99.86 % of 10,000; yours, on 2 games: "), "{told}");
    let report = std::fs::read_to_string(folder.join("runs/tiny/report/report.md")).unwrap();
    let opening: Vec<&str> = report.lines().skip(2).take(3).collect();
    assert_eq!(opening, lines.iter().rev().map(|line| format!("- {line}")).collect::<Vec<_>>());
    let run = folder.join("runs/tiny");
    assert_eq!(read_json(&run.join("summary.json"))["step"], 4);
    assert_eq!(read_json(&run.join("evaluation/random/result.json"))["kind"], "tabiya-match-1");
    let held_out = read_json(&run.join("evaluation/held-out/result.json"));
    assert_eq!((&held_out["kind"], &held_out["value_unit"]), (&"tabiya-validation-1".into(), &"nats".into()));
    let sections = read_json(&run.join("report/report.json"))["sections"].as_array().unwrap().len();
    assert_eq!(sections, 3, "the training, the match and the held-out positions");

    let weights = std::fs::read(run.join("network.tabiya")).unwrap();
    let again = progress(folder, "run tiny.toml");
    assert_eq!(again.lines().filter(|line| line.ends_with(": done")).count(), 5, "{again}");
    assert_eq!(again.lines().count(), 5, "{again}");
    assert_eq!(std::fs::read(run.join("network.tabiya")).unwrap(), weights);

    // A missing measurement is made, and the report with it; the other measurements stay.
    std::fs::remove_dir_all(run.join("evaluation/random")).unwrap();
    let once_more = progress(folder, "run tiny.toml");
    assert!(run.join("evaluation/random/result.json").exists());
    assert_eq!(once_more.lines().filter(|line| line.ends_with(": done")).count(), 3, "{once_more}");
}

/// As `tabiya match` finds its players.
#[test]
fn a_recipe_is_found_by_its_name() {
    let workplace = workplace();
    let folder = workplace.path();
    std::fs::create_dir_all(folder.join("recipes/little")).unwrap();
    std::fs::rename(folder.join("other.toml"), folder.join("recipes/little/recipe.toml")).unwrap();
    let plan = success(folder, "run little --plan");
    assert!(plan.contains("tabiya train recipes/little/recipe.toml --name little "), "{plan}");
    let message = failure(folder, "match recipe=little random --games 2");
    assert!(message.contains("runs/little/network.tabiya"), "{message}");
    for command in ["run lite", "train lite", "compare lite", "selfplay lite"] {
        let message = failure(folder, command);
        assert!(message.contains("cannot read the recipe lite: "), "{command}: {message}");
        assert!(message.contains("in the folder recipes are little"), "{command}: {message}");
    }
}

/// A scheduler signals the process that it started, not the command that this process runs.
#[test]
#[cfg(unix)]
fn an_experiment_that_is_told_to_end_ends_its_training_and_goes_on_later() {
    let workplace = workplace();
    let folder = workplace.path();
    let recipe = folder.join("tiny.toml");
    let text = std::fs::read_to_string(&recipe).unwrap();
    std::fs::write(&recipe, text.replace("steps = 4", "steps = 200000")).unwrap();
    let mut run = command(folder, "run tiny.toml --runs trained");
    let child = run.stderr(Stdio::piped()).spawn().unwrap();
    let log = folder.join("trained/tiny/log.jsonl");
    wait_until("a step", || std::fs::read_to_string(&log).unwrap_or_default().lines().count() >= 3);
    // Both write there: the end of the file is the end of both.
    let output = signal(child, "TERM");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.ends_with("stopped; to continue: tabiya run tiny.toml --runs trained\n"), "{said}");
    let steps: u64 = {
        let log = std::fs::read_to_string(&log).unwrap();
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter_map(|line| line["step"].as_u64()).max().unwrap()
    };
    assert!(steps < 200_000);
    std::fs::write(&recipe, text.replace("steps = 4", &format!("steps = {}", steps + 5))).unwrap();
    let resumed = progress(folder, "run tiny.toml --runs trained");
    assert!(resumed.contains("--resume"), "{resumed}");
    assert_eq!(read_json(&folder.join("trained/tiny/summary.json"))["step"], steps + 5);
}

/// Measurements of the first network say nothing about the second.
#[test]
fn measurements_of_an_earlier_network_are_refused() {
    let workplace = workplace();
    let folder = workplace.path();
    progress(folder, "run tiny.toml");
    let run = folder.join("runs/tiny");
    std::fs::remove_file(run.join("summary.json")).unwrap();
    let message = failure(folder, "run tiny.toml");
    assert!(message.contains("evaluation/random") && message.contains("made before training"), "{message}");
}

#[test]
fn a_result_of_another_experiment_is_never_taken_for_this_one() {
    let workplace = workplace();
    let folder = workplace.path();
    progress(folder, "run tiny.toml");
    let text = std::fs::read_to_string(folder.join("tiny.toml")).unwrap();
    std::fs::write(folder.join("tiny.toml"), text.replace("--games 2", "--games 4")).unwrap();
    let message = failure(folder, "run tiny.toml");
    assert!(message.contains("[[evaluation]] random") && message.contains("--games 2"), "{message}");
    std::fs::write(folder.join("tiny.toml"), text.replace("peak = 0.002", "peak = 0.001")).unwrap();
    let message = failure(folder, "run tiny.toml");
    assert!(message.contains("training:") && message.contains("another name"), "{message}");
}

#[test]
fn nothing_is_begun_before_everything_is_checked() {
    let workplace = workplace();
    let folder = workplace.path();
    let text = std::fs::read_to_string(folder.join("tiny.toml")).unwrap();
    std::fs::write(folder.join("tiny.toml"), text.replace("MateFirst", "MateLast")).unwrap();
    let message = failure(folder, "run tiny.toml");
    assert!(
        message.contains("tiny.toml") && message.contains("unknown search option \"MateLast\""),
        "{message}"
    );
    assert!(!folder.join("games.store").exists() && !folder.join("runs").exists());
    let plan = success(folder, "run other.toml --plan");
    assert_eq!(plan.lines().count(), 6, "{plan}");
    assert!(plan.starts_with("tabiya data build games.store games.pgn"), "{plan}");
    assert!(!folder.join("runs").exists());
    assert_eq!(tabiya(folder, "run").status.code(), Some(2));
}

/// `compare` generated a recipe's own games although the network had been trained on others.
#[test]
fn data_that_a_training_has_learned_from_are_not_made_again() {
    let workplace = workplace();
    let folder = workplace.path();
    std::fs::rename(folder.join("games.pgn"), folder.join("mine.pgn")).unwrap();
    let store = "games.store-of-mine.pgn";
    progress(folder, "run tiny.toml --data mine.pgn");
    let compare = "compare tiny.toml --player random --games 2 --ladder 0 --out c";
    let message = failure(folder, compare);
    assert!(
        message.contains("training: ") && message.contains("name the data that it was made from"),
        "{message}"
    );
    assert!(!folder.join("games.store").exists(), "nothing is begun");
    std::fs::remove_dir_all(folder.join(store)).unwrap();
    let with_data = format!("{compare} --data mine.pgn");
    let said = progress(folder, &with_data);
    assert!(said.contains("[data]: not needed again"), "{said}");
    assert!(!folder.join(store).exists(), "{said}");
    assert!(read_json(&folder.join("c/result.json"))["experiments"][0]["value_loss"][0].is_number());
    // What reads the store needs it.
    std::fs::remove_dir_all(folder.join("runs/tiny/evaluation/held-out")).unwrap();
    progress(folder, &with_data);
    assert!(!folder.join(store).exists(), "a comparison does without");
    progress(folder, "run tiny.toml --data mine.pgn");
    assert!(folder.join(store).exists());
}

#[test]
fn a_fraction_of_an_experiment_is_an_experiment_of_its_own() {
    let workplace = workplace();
    let folder = workplace.path();
    let text = std::fs::read_to_string(folder.join("tiny.toml")).unwrap();
    let long = text.replace("steps = 4", "steps = 400").replace("--games 2", "--games 200");
    std::fs::write(folder.join("tiny.toml"), long).unwrap();
    let plan = success(folder, "run tiny.toml --scale 0.01 --plan");
    for part in
        ["games.store-at-0.01", "--max-positions 10000", "--scale 0.01", "--games 2 ", "320 samples at "]
    {
        assert!(plan.contains(part), "{part} is missing in {plan}");
    }
    progress(folder, "run tiny.toml --scale 0.01");
    let run = folder.join("runs/tiny-at-0.01");
    assert_eq!(read_json(&run.join("summary.json"))["step"], 20);
    let report = std::fs::read_to_string(run.join("report/report.md")).unwrap();
    assert!(report.starts_with("# The tiny experiment, at scale 0.01 (20 steps)\n"), "{report}");
    assert!(!folder.join("runs/tiny").exists() && !folder.join("games.store").exists());
    let again = progress(folder, "run tiny.toml --scale 0.01");
    assert_eq!(again.lines().filter(|line| line.ends_with(": done")).count(), 5, "{again}");
    assert_eq!(tabiya(folder, "run tiny.toml --scale 1").status.code(), Some(2));
}

/// The held-out loss of a compared experiment is that of the recipe's own step.
fn has_held_out_loss(compared: &Value, run: &Path) {
    let held_out = read_json(&run.join("evaluation/held-out/result.json"));
    assert_eq!(compared["value_loss"][0], held_out["value_loss"]);
    assert_eq!(compared["value_unit"], "nats");
}

#[test]
fn experiments_are_compared_with_each_other_and_a_player() {
    let workplace = workplace();
    let folder = workplace.path();
    let compare = "compare tiny.toml other.toml --player random --games 2 --ladder 0 --out c";
    let plan = success(folder, &format!("{compare} --plan"));
    assert_eq!(plan.matches("64 samples at ").count(), 2, "{plan}");
    let round_robin = plan.lines().find(|line| line.starts_with("tabiya match")).unwrap();
    assert!(
        round_robin.contains("# about ") && plan.lines().last().unwrap().contains("in total about"),
        "{plan}"
    );
    assert!(!folder.join("c").exists() && !folder.join("runs").exists());
    success(folder, compare);
    let result = read_json(&folder.join("c/result.json"));
    assert_eq!(result["kind"], "tabiya-comparison-1");
    let names: Vec<&str> =
        result["experiments"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["tiny", "other", "random"]);
    let tiny = &result["experiments"][0];
    assert!(
        tiny["parameters"].as_u64().unwrap() > 0 && tiny["nodes_per_second"].as_f64().unwrap() > 0.0,
        "{tiny}"
    );
    assert_eq!(tiny["training_positions"], 64);
    assert_eq!(tiny["round_robin"]["games"], 4);
    assert_eq!(tiny["published"][0][1], "99.86 % of 10,000");
    assert_eq!(tiny["published"][0][2], "yours: not measured yet", "no match against a random mover");
    has_held_out_loss(tiny, &folder.join("runs/tiny"));
    assert!(result["experiments"][2]["parameters"].is_null());
    let report = std::fs::read_to_string(folder.join("c/report/report.md")).unwrap();
    assert!(report.contains("Experiments compared") && report.contains("99.86 % of 10,000"), "{report}");

    // A finished network describes itself; a result can be compared with an earlier one, but only with a result of this
    // kind.
    let player = "net=runs/tiny/network.tabiya,search=value,nodes=40,name=tiny";
    let again = format!("compare --player {player} --player random --games 2 --ladder 0 --out e --against");
    success(folder, &format!("{again} c"));
    let known = read_json(&folder.join("e/result.json"));
    assert_eq!(known["experiments"][0]["parameters"], tiny["parameters"]);
    assert_eq!(known["experiments"][0]["training_positions"], 64);
    assert!(known["experiments"][0]["value_loss"][0].is_number(), "{known}");
    let report = std::fs::read_to_string(folder.join("e/report/report.md")).unwrap();
    assert!(
        report.contains("| what differs |") && report.contains("| other | all | missing | there |"),
        "{report}"
    );
    let refused = failure(folder, &format!("{again} runs/tiny/summary.json"));
    assert!(refused.contains("summary.json") && refused.contains("tabiya-comparison-1"), "{refused}");
    let twice = failure(folder, "compare tiny.toml tiny.toml --out d");
    assert!(twice.contains("two players are called \"tiny\""), "{twice}");
}
