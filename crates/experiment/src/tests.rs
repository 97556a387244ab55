//! Experiments as they are read and planned.

use std::path::{Path, PathBuf};

use super::*;

/// Accepts every command except `measure` as one of the program.
fn commands(arguments: &[String]) -> Result<(), String> {
    match arguments.first().map(String::as_str) {
        Some("measure") => Err("unrecognized subcommand 'measure'".into()),
        _ => Ok(()),
    }
}

/// A folder `trial` with a recipe of `sections` in addition to the training.
fn experiment(sections: &str) -> Result<(tempfile::TempDir, Experiment), ExperimentError> {
    let folder = tempfile::tempdir().unwrap();
    let trial = folder.path().join("trial");
    std::fs::create_dir(&trial).unwrap();
    let text = format!(
        "title = \"Trial\"\n{sections}\n[training]\nsteps = 1000\n[network]\nblocks = 1\nchannels = 8\n"
    );
    std::fs::write(trial.join("recipe.toml"), text).unwrap();
    let experiment = Experiment::read(&trial, commands)?;
    Ok((folder, experiment))
}

fn refused(sections: &str) -> String {
    let error = experiment(sections).err().unwrap();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

const DATA: &str = "data = { store = \"stores/x\", sources = [\"a.pgn\", \"b.pgn\"], options = { evaluated = true, \
    min-rating = 2000, speed = [\"blitz\", \"rapid\"], keep-duplicates = false } }\n";

#[test]
fn an_experiment_is_commands_of_this_program() {
    let sections = format!(
        "{DATA}search = {{ kind = \"value\", limits = {{ nodes = 100 }}, options = {{ CaptureBonus = 0.02, MateFirst = true }} }}\n\
         evaluation = [{{ name = \"random\", command = \"match {{player}} random --games 20\" }}, \
         {{ name = \"held-out\", command = \"net validate {{network}} {{store}}\" }}]"
    );
    let (folder, experiment) = experiment(&sections).unwrap();
    let steps = experiment.steps(Path::new("runs")).unwrap();
    let lines: Vec<String> = steps.iter().map(|step| step.arguments.join(" ")).collect();
    let file = folder.path().join("trial/recipe.toml").display().to_string();
    let player = "net=runs/trial/network.tabiya,search=value,nodes=100,option.CaptureBonus=0.02,option.MateFirst=true,name=trial";
    assert_eq!(
        lines,
        [
            "data build stores/x a.pgn b.pgn --evaluated --min-rating 2000 --speed blitz,rapid".into(),
            format!("train {file} --name trial --runs runs"),
            format!("match {player} random --games 20 --out runs/trial/evaluation/random"),
            "net validate runs/trial/network.tabiya stores/x --json".into(),
            "report runs/trial runs/trial/evaluation/random runs/trial/evaluation/held-out --title Trial --out runs/trial/report"
                .into(),
        ]
    );
    assert_eq!(steps[3].output, Output::Printed("runs/trial/evaluation/held-out/result.json".into()));
}

/// An experiment with one published number.
fn publishing(published: &str) -> String {
    format!(
        "data = \"stores/x\"\nevaluation = [{{ name = \"held-out\", command = \"net validate {{network}} {{store}} --recipe \
         {{recipe}}\" }}, {{ name = \"random\", command = \"match {{player}} random\" }}, {{ name = \"speed\", command = \
         \"bench\" }}]\npublished = [{{ what = \"error\", {published} }}]"
    )
}

fn measured(step: &str, metric: &str, rest: &str) -> String {
    publishing(&format!("measured = {{ step = \"{step}\", metric = \"{metric}\" }}, {rest}"))
}

const LOSS: &str = "value = 0.5, unit = \"nats\", baseline = 1.0, different = \"others\"";

#[test]
fn a_published_number_stands_beside_the_result_of_its_step() {
    let (folder, experiment) = experiment(&measured("held-out", "value_loss", LOSS)).unwrap();
    let run = folder.path().join("run");
    let line = || experiment.pairings(&run).unwrap()[0].to_string();
    assert_eq!(
        line(),
        "error: the paper: 0.5 nats (a constant: 1); yours: not measured yet; different: others"
    );
    let held_out = run.join("evaluation/held-out");
    std::fs::create_dir_all(&held_out).unwrap();
    let write = |unit: &str| {
        let text = format!(
            "{{\"positions\": 2639, \"value_positions\": 2639, \"loss\": 0.4, \"policy_loss\": 1, \"top1\": 0, \"top3\": 0, \
             \"top5\": 0, \"policy_entropy\": 1, \"value_loss\": 0.4, \"value_unit\": \"{unit}\", \"intervals\": {{\"value_loss\": \
             {{\"value\": 0.4, \"lower\": 0.375, \"upper\": 0.425, \"samples\": 2639}}}}, \"baselines\": {{\"policy_loss\": 3, \
             \"top1\": 0, \"top3\": 0, \"top5\": 0, \"value_loss\": 0.9}}, \"evaluated\": null, \"played\": null}}"
        );
        std::fs::write(held_out.join("result.json"), text).unwrap();
    };
    write("nats");
    assert_eq!(
        line(),
        "error: the paper: 0.5 nats (a constant: 1); yours, on 2,639 positions: 0.400 (0.375 to 0.425); a constant: 0.900; \
         different: others"
    );
    // A result in another unit, of a changed step, is not accepted.
    write("pawns");
    assert!(line().contains("; yours: the result of held-out has no value_loss in nats; "), "{}", line());
}

#[test]
fn a_published_number_that_nothing_measures_in_its_unit_is_refused() {
    let loss = |rest: &str| measured("held-out", "value_loss", rest);
    for (sections, expected) in [
        (loss("value = 0.5, unit = \"pawns\""), "unit: found \"pawns\", expected \"nats\""),
        (loss("value = 0.5"), "unit: found nothing, expected \"nats\""),
        (loss("value = \"a half\", unit = \"nats\""), "value: found a text, expected a number"),
        (measured("held-out", "won", LOSS), "measured.metric: found \"won\", expected one of policy_loss, "),
        (measured("random", "value_loss", LOSS), "expected one of won, drawn, lost, score of random"),
        (
            measured("heldout", "value_loss", LOSS),
            "found \"heldout\", expected one of held-out, random, speed, training",
        ),
        (
            measured("speed", "value_loss", LOSS),
            "found \"speed\" (`bench`), expected a step of net validate, match,",
        ),
        (publishing("value = 0.5"), "expected a text as `value`, or `measured"),
        (publishing("value = \"0.5\", samples = 5"), "unknown field `samples`"),
    ] {
        let message = refused(&sections);
        assert!(message.contains(expected), "{sections}: {message}");
    }
}

#[test]
fn an_experiment_may_name_its_own_player() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("self.toml");
    let text = format!(
        "title = \"Self\"\ndata = \"stores/x\"\n[training]\nsteps = 1000\n[network]\nblocks = 1\nchannels = 8\n\
         [[evaluation]]\nname = \"again\"\ncommand = \"match recipe={},nodes=1 random\"\n",
        file.display()
    );
    std::fs::write(&file, text).unwrap();
    assert_eq!(Experiment::read(&file, commands).unwrap().name, "self");
}

#[test]
fn a_recipe_without_other_sections_is_trained_and_reported() {
    let (_folder, experiment) = experiment("data = \"stores/x\"").unwrap();
    assert_eq!(experiment.name, "trial");
    let steps = experiment.steps(Path::new("runs")).unwrap();
    assert_eq!(steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>(), ["training", "report"]);
}

#[test]
fn each_section_is_checked_by_those_who_read_it() {
    let data = "data = \"stores/x\"\n";
    for (sections, expected) in [
        ("data = { store = \"x\", sources = [] }", "[data] sources: found none"),
        ("data = { store = \"x\", sources = [\"a\"], option = {} }", "unknown field `option`"),
        ("data = { store = \"x\", generate = { games = 5 } }", "expected a table with `engine`"),
        ("data = { store = \"x\", label = { engine = \"e\" } }", "found no games or positions"),
        (
            &format!("{data}search = {{ kind = \"minimax\" }}"),
            "unknown search \"minimax\"; expected one of auto",
        ),
        (&format!("{data}search = {{ options = {{ CPuckt = 1 }} }}"), "unknown search option \"CPuckt\""),
        (
            &format!("{data}search = {{ options = {{ CPuct = -1 }} }}"),
            "found \"-1\", expected a number from 0",
        ),
        (&format!("{data}search = {{ limits = {{ visits = 1 }} }}"), "unknown key \"visits\""),
        (&format!("{data}search = {{ depth = 1 }}"), "unknown field `depth`"),
        (
            &format!("{data}evaluation = [{{ name = \"a b\", command = \"bench\" }}]"),
            "found \"a b\", expected letters",
        ),
        (&format!("{data}evaluation = [{{ name = \"x\", command = \"\" }}]"), "the command is empty"),
        (
            &format!("{data}evaluation = [{{ name = \"x\", command = \"measure {{player}}\" }}]"),
            "unrecognized subcommand",
        ),
        (
            &format!(
                "{data}evaluation = [{{ name = \"x\", command = \"bench\" }}, {{ name = \"x\", command = \"bench\" }}]"
            ),
            "\"x\" is used twice",
        ),
        (&format!("{data}evaluations = []"), "unknown field `evaluations`"),
    ] {
        let message = refused(sections);
        assert!(message.contains(expected), "{sections}: {message}");
        assert!(message.contains("recipe.toml"), "{message}");
    }
}

#[test]
fn games_are_generated_once_and_continued() {
    let sections = "data = { store = \"stores/x\", generate = { engine = \"e,nodes=9\", games = 7 }, sources = [\"a.pgn\"], \
        label = { engine = \"f,depth=3\" }, options = { validation = 0.1 } }";
    let (_folder, experiment) = experiment(sections).unwrap();
    let steps = experiment.training(Path::new("runs")).unwrap();
    let lines: Vec<String> = steps[..2].iter().map(|step| step.arguments.join(" ")).collect();
    assert_eq!(
        lines,
        [
            "data generate stores/x.pgn --engine e,nodes=9 --games 7",
            "data label stores/x --engine f,depth=3 a.pgn stores/x.pgn --validation 0.1",
        ]
    );
    let begun = Some("stores/x.pgn.generating/setup.json".into());
    let (result, product) = ("stores/x.pgn".into(), "stores/x".into());
    assert_eq!(steps[0].output, Output::Material { begun, result, product });
    let begun = "stores/x.labelling/setup.json".into();
    assert_eq!(steps[1].output, Output::Folder { begun, result: "stores/x".into() });
    assert_eq!(steps[1].settings, lines[0], "the store is another one where its games are others");
    assert_eq!(steps[1].record, Some("stores/x.made.json".into()));
    assert_eq!(steps[2].record, None);
}

#[test]
fn neighbours_become_a_part_of_the_store() {
    let sections = "data = { store = \"stores/x\", sources = [\"a.pgn\"], options = { evaluated = true }, \
        extract = { engine = \"fish\", network = \"stores/fish.nnue\" }, neighbours = [\
        { engine = \"net=stores/fish.nnue,search=value\", seed = 4, times = 2 }, { engine = \"default\", random-moves = 0.5 }] }";
    let (_folder, experiment) = experiment(sections).unwrap();
    let steps = experiment.training(Path::new("runs")).unwrap();
    let lines: Vec<String> = steps.iter().map(|step| step.arguments.join(" ")).collect();
    assert_eq!(
        lines[..6],
        [
            "net extract fish stores/fish.nnue",
            "data build stores/x.games a.pgn --evaluated",
            "data label stores/x.neighbours-1 --engine net=stores/fish.nnue,search=value --random-moves 1 --seed 4 a.pgn",
            "data label stores/x.neighbours-2 --engine net=stores/fish.nnue,search=value --random-moves 1 --seed 5 a.pgn",
            "data label stores/x.neighbours-3 --engine default --random-moves 0.5 --seed 0 a.pgn",
            "data merge stores/x stores/x.games stores/x.neighbours-1 stores/x.neighbours-2 stores/x.neighbours-3",
        ]
    );
    assert_eq!(steps[5].output, Output::Whole("stores/x".into()));
    assert_eq!(steps[5].settings, lines[..5].join("; "), "the store is another one where a part is another");
    let product = PathBuf::from("stores/x");
    for (step, begun) in [(&steps[1], None), (&steps[2], Some("stores/x.neighbours-1.labelling/setup.json"))]
    {
        let begun = begun.map(PathBuf::from);
        let result = step.arguments[2].clone().into();
        assert_eq!(step.output, Output::Material { begun, result, product: product.clone() });
    }
    // Steps are found again by their names.
    let names: std::collections::BTreeSet<&str> = steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names.len(), steps.len());
}

#[test]
fn many_other_games_make_a_store_with_a_name_that_fits() {
    let files: Vec<PathBuf> =
        (0..40).map(|number| format!("games-of-month-{number}.pgn.zst").into()).collect();
    let first_step = |files: &[PathBuf]| {
        let (_folder, mut experiment) = experiment(DATA).unwrap();
        experiment.use_data(files).unwrap();
        experiment.steps(Path::new("runs")).unwrap()[0].arguments.clone()
    };
    let words = first_step(&files);
    assert_eq!(words[2], "stores/x-of-games-of-month-0.pgn.zst-games-77281b7084d36aa6");
    assert_eq!(words.iter().filter(|word| word.starts_with("games-of-month-")).count(), 40);
    assert_ne!(first_step(&files[..39])[2], words[2], "the same first file");
    let long = first_step(&["é".repeat(120).into()])[2].clone();
    assert!(long.starts_with("stores/x-of-éé") && long.len() < 120, "{long}");
    assert_eq!(first_step(&files[..2])[2], "stores/x-of-games-of-month-0.pgn.zst-games-of-month-1.pgn.zst");
}

#[test]
fn teachers_that_are_not_described_are_refused() {
    let message = refused("data = { store = \"x\", sources = [\"a.pgn\"], extract = \"stockfish\" }");
    assert!(message.contains("[data] extract: found \"stockfish\", expected { engine ="), "{message}");
    let message = refused("data = { store = \"x\", sources = [\"a.pgn\"], neighbours = [{ seed = 1 }] }");
    assert!(message.contains("[data] neighbours: expected a table with `engine`"), "{message}");
    let message = refused(
        "data = { store = \"x\", sources = [\"a.pgn\"], neighbours = { engine = \"e\", times = \"two\" } }",
    );
    assert!(message.contains("[data] neighbours: times: found \"two\", expected a number"), "{message}");
}

#[test]
fn each_kind_of_data_says_how_long_it_takes() {
    let basis = |kinds: &str| {
        let sections = format!(
            "data = {{ store = \"stores/x\", generate = {{ engine = \"e\", games = 20 }}, {kinds} }}"
        );
        let (_folder, experiment) = experiment(&sections).unwrap();
        let steps = experiment.training(Path::new("runs")).unwrap();
        let stop = chess::StopSignal::default();
        let planned = experiment.planned(steps, Probe { stop: &stop, count_positions: |_| Ok(None) });
        // Every command of the data comes after the games, and its time may grow with their number.
        let data = planned.into_iter().filter(|planned| planned.step.positions == Some(1800));
        data.skip(1).map(|planned| planned.estimate.basis).collect::<Vec<_>>()
    };
    let no_number = "--processes: found \"all\", expected a number";
    assert_eq!(basis("options = {}"), ["short compared with the other steps"]);
    assert_eq!(basis("label = { engine = \"random\", processes = \"all\" }"), [no_number]);
    assert_eq!(
        basis("neighbours = { engine = \"random\", processes = \"all\" }"),
        ["short compared with the other steps", no_number, "depends on how many positions there are"]
    );
}

/// The ladder of the second was refused after that of the first, as one of other settings.
#[test]
fn players_whose_names_differ_only_in_special_characters_are_refused() {
    let mut plan = ComparisonPlan::new(commands, "tabiya".into());
    for name in ["random,name=a+b", "random,name=a.b"] {
        plan.add_player(name.parse().unwrap()).unwrap();
    }
    let clash = plan.add_player("random,name=a b".parse().unwrap()).unwrap_err().to_string();
    assert!(clash.contains("\"a+b\" and \"a b\" would share the folder \"ladder-a-b\""), "{clash}");
}

/// Two processes wrote the record of the finished steps, and each lost those of the other.
#[test]
fn the_steps_of_a_folder_are_run_by_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Runner::open(folder.path(), chess::StopSignal::default(), |_| ());
    let runner = open().unwrap();
    let second = open().err().unwrap().to_string();
    assert!(second.contains("steps.json is being written by another process"), "{second}");
    drop(runner);
    open().unwrap();
}
