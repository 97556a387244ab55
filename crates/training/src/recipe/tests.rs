use network::TrainingPrecision;

use super::*;

const SMALL: &str =
    "title = \"t\"\ndata = \"s\"\n[training]\nsteps = 5000\n[network]\nblocks = 1\nchannels = 8\n";

#[test]
fn a_recipe_resolves_to_itself() {
    let recipe = Recipe::from_toml(SMALL, "small").unwrap();
    let resolved = recipe.to_toml().unwrap();
    assert!(resolved.contains("shuffle_window") && resolved.contains("weight_decay"), "{resolved}");
    assert_eq!(Recipe::from_toml(&resolved, "resolved").unwrap(), recipe);
}

#[test]
fn what_makes_no_sense_for_a_sparse_network_is_refused() {
    const SPARSE: &str = "title = \"t\"\ndata = \"s\"\n[training]\nsteps = 5000\n[network]\nkind = \"sparse\"\nfeatures = \
                          \"threats\"\nwidth = 64\n";
    Recipe::from_toml(SPARSE, "my.toml").unwrap();
    for (from, to, expected) in [
        (
            "steps = 5000",
            "steps = 5000\nmirror = true",
            "training.mirror = true: expected false, as features are mirrored",
        ),
        (
            "width = 64",
            "width = 64\n[optimiser]\nkind = \"muon\"",
            "optimiser.kind = muon: expected adamw, which",
        ),
        (
            "width = 64",
            "width = 64\n[losses]\nillegal_move_weight = 1.0",
            "losses.illegal_move_weight = 1: expected 0",
        ),
        (
            "steps = 5000",
            "steps = 20000000",
            "training.steps = 20000000: expected below 16777216 for a sparse network",
        ),
        (
            "width = 64",
            "width = 64\n[losses]\npolicy_origin_weights = { human = -1.0 }",
            "losses.policy_origin_weights.human = -1: expected 0 to 1000",
        ),
    ] {
        let message = Recipe::from_toml(&SPARSE.replace(from, to), "my.toml").unwrap_err().to_string();
        assert!(message.starts_with(&format!("my.toml: {expected}")), "{message}");
    }
}

#[test]
fn unknown_keys_are_refused_with_file_line_and_known_keys() {
    let message = Recipe::from_toml(&format!("{SMALL}[optimizer]\n"), "my.toml").unwrap_err().to_string();
    assert!(message.starts_with("my.toml: ") && message.contains("line 8"), "{message}");
    assert!(message.contains("`optimizer`") && message.contains("`optimiser`"), "{message}");
    let message = Recipe::from_toml(&SMALL.replace("steps = 5000", "steps = 5000\nbatchsize = 2"), "my.toml");
    let message = message.unwrap_err().to_string();
    assert!(message.contains("`batchsize`") && message.contains("`batch`"), "{message}");
    let message = Recipe::from_toml(
        &format!("{SMALL}[schedule]\nkind = \"cosine\"\npeak = 1.0\nlast = 0.0\nwarm = 3\n"),
        "my.toml",
    );
    assert!(message.unwrap_err().to_string().contains("warm"));
}

#[test]
fn bad_values_are_named_with_what_is_accepted() {
    for (from, to, expected) in [
        ("steps = 5000", "steps = 0", "my.toml: training.steps = 0: expected at least 1"),
        ("steps = 5000", "steps = 5000\nbatch = 0", "my.toml: training.batch = 0: expected at least 1"),
        (
            "steps = 5000",
            "steps = 5000\nthreads = 100000",
            "my.toml: training.threads = 100000: expected at most 512",
        ),
        ("channels = 8", "channels = 0", "my.toml: channels = 0: expected 1 to 1024"),
        (
            "channels = 8",
            "channels = 8\n[losses]\nlabel_smoothing = 1.5",
            "my.toml: losses.label_smoothing = 1.5: expected 0 to 1",
        ),
        (
            "channels = 8",
            "channels = 8\n[losses]\nvalue_target = { from = \"blend\", result_weight = -0.5 }",
            "my.toml: losses.value_target.result_weight = -0.5: expected 0 to 1",
        ),
        (
            "channels = 8",
            "channels = 8\nvalue = { kind = \"scalar\" }\n[losses]\nvalue_loss = { kind = \"cross-entropy\" }",
            "my.toml: losses.value_loss = cross-entropy: expected squared, huber or absolute unless network.value.kind is \
             wdl",
        ),
        (
            "channels = 8",
            "channels = 8\n[losses]\nvalue_loss = { kind = \"huber\", delta = 0.0 }",
            "my.toml: losses.value_loss.delta = 0: expected above 0 to 100",
        ),
        (
            "channels = 8",
            "channels = 8\n[losses]\nvalue_target = { from = \"evaluation\", curve = { kind = \"logistic\", spread = 0.0 } }",
            "my.toml: losses.value_target.curve.spread = 0: expected 1 to 10000",
        ),
        (
            "channels = 8",
            "channels = 8\n[losses]\npolicy_weight = 0.0\nvalue_weight = 0.0",
            "my.toml: losses.value_weight = 0: expected more than 0 where losses.policy_weight is 0",
        ),
        (
            "channels = 8",
            "channels = 8\n[schedule]\nkind = \"cosine\"\npeak = 0.0\nlast = 0.0\nwarmup = 5",
            "my.toml: schedule.peak = 0: expected more than 0",
        ),
        (
            "channels = 8",
            "channels = 8\n[schedule]\nkind = \"cosine\"\npeak = 1.0\nlast = 0.0\nwarmup = 5000\ntail = 1",
            "my.toml: schedule = 5001 steps of warm-up, fall and tail: expected at most training.steps = 5000",
        ),
    ] {
        let message = Recipe::from_toml(&SMALL.replace(from, to), "my.toml").unwrap_err().to_string();
        assert_eq!(message, expected);
    }
}

#[test]
fn a_precision_is_one_that_networks_are_trained_in() {
    let with = |value: &str| SMALL.replace("steps = 5000", &format!("steps = 5000\nprecision = \"{value}\""));
    let recipe = Recipe::from_toml(&with("bf16"), "my.toml").unwrap();
    assert_eq!(recipe.training.precision, TrainingPrecision::Bf16);
    assert!(recipe.to_toml().unwrap().contains("precision = \"bf16\""));
    let message = Recipe::from_toml(&with("int8"), "my.toml").unwrap_err().to_string();
    assert!(message.contains("`int8`") && message.contains("`f32` or `bf16`"), "{message}");
    let message = "int8".parse::<TrainingPrecision>().unwrap_err().to_string();
    assert_eq!(message, "command line: precision = \"int8\": expected f32 or bf16");
}

#[test]
fn a_missing_recipe_is_named() {
    let message = Recipe::read(Path::new("no/such/recipe.toml")).unwrap_err().to_string();
    assert!(message.starts_with("cannot read the recipe no/such/recipe.toml: "), "{message}");
}

#[test]
fn a_recipe_may_leave_its_network_to_the_one_it_starts_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recipe.toml");
    let without = SMALL.split("[network]").next().unwrap();
    std::fs::write(&path, without).unwrap();
    let start =
        Spec::from_toml("blocks = 2\nchannels = 16\nvalue = { kind = \"wdl\", hidden = 24 }").unwrap();
    assert_eq!(Recipe::read_for(&path, Some(&start)).unwrap().network, start);
    let neither = Recipe::read_for(&path, None).unwrap_err().to_string();
    assert!(neither.contains("network = nothing") && neither.contains("--from"), "{neither}");
    std::fs::write(&path, SMALL).unwrap();
    let own = Recipe::from_toml(SMALL, "small").unwrap();
    assert_eq!(Recipe::read_for(&path, Some(&start)).unwrap(), own, "its own network stays");
    std::fs::write(&path, format!("{without}[optimizer]\n")).unwrap();
    let unknown = Recipe::read_for(&path, Some(&start)).unwrap_err().to_string();
    assert!(unknown.contains("`optimizer`"), "{unknown}");
}

/// Recipes of other commands have tables unknown to training; the tests of those commands read them.
#[test]
fn every_training_recipe_of_the_repository_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
    let small = Recipe::from_toml(SMALL, "small").unwrap().network;
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let table: toml::Table = std::fs::read_to_string(path.join("recipe.toml")).unwrap().parse().unwrap();
        if !["learner", "play", "reinforce"].iter().any(|key| table.contains_key(*key)) {
            // A recipe without a network gets the specification of the network that it starts from.
            Recipe::read_for(&path, Some(&small)).unwrap();
            count += 1;
        }
    }
    assert!(count > 0);
}

#[test]
fn value_rules_and_losses_are_chosen_by_name() {
    let losses =
        |text: &str| Recipe::from_toml(&format!("{SMALL}[losses]\n{text}"), "my.toml").unwrap().losses;
    let curve = |text: &str| losses(&format!("value_target = {text}")).value_target.curve();
    assert_eq!(curve("{ from = \"evaluation\" }"), Some(EvaluationCurve::default()));
    let lichess = "{ from = \"blend\", result_weight = 0.3, curve = { kind = \"lichess\" } }";
    assert_eq!(curve(lichess), Some(EvaluationCurve::Lichess));
    let wide = "{ from = \"evaluation\", curve = { kind = \"logistic\", half_won = 180.0 } }";
    assert_eq!(curve(wide), Some(EvaluationCurve::Logistic { half_won: 180.0, spread: 60.0 }));
    let tanh = "{ from = \"search\", curve = { kind = \"tanh\" } }";
    assert_eq!(curve(tanh), Some(EvaluationCurve::Tanh { scale: 600.0 }));
    for kind in ["logistic", "lichess", "stockfish", "tanh", "pawns"] {
        let written = format!("{{ kind = \"{kind}\" }}");
        let read = curve(&format!("{{ from = \"evaluation\", curve = {written} }}")).unwrap();
        assert_eq!(curve(&format!("{{ from = \"evaluation\", curve = {read} }}")), Some(read));
    }
    let fitted =
        EvaluationCurve::Material { half_won: [0.5, -20.0, 30.25, 90.0], spread: [0.0, 1.0, 2.0, 60.0] };
    assert_eq!(curve(&format!("{{ from = \"evaluation\", curve = {fitted} }}")), Some(fitted));
    let pawns = "{ from = \"evaluation\", curve = { kind = \"pawns\", limit = 9.0 } }";
    assert_eq!(curve(pawns), Some(EvaluationCurve::Pawns { limit: 9.0 }));
    let material = "{ from = \"evaluation\", curve = { kind = \"material\", half_won = [0, 0, 0, 100], spread = [0, 0, -80, 60] } }";
    let refused = Recipe::from_toml(&format!("{SMALL}[losses]\nvalue_target = {material}"), "my.toml");
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains("losses.value_target.curve.spread") && message.contains("1 to 10000"),
        "{message}"
    );
    assert_eq!(curve("{ from = \"result\" }"), None);
    let huber = losses("value_loss = { kind = \"huber\", delta = 0.5 }\nillegal_move_weight = 1.0");
    assert_eq!(huber.of_value(ValueKind::Wdl), ValueLoss::Huber { delta: 0.5 });
    assert_eq!(losses("").of_value(ValueKind::Scalar), ValueLoss::Squared);
    let recipe = Recipe::from_toml(&format!("{SMALL}[losses]\nvalue_target = {lichess}"), "my.toml").unwrap();
    assert_eq!(Recipe::from_toml(&recipe.to_toml().unwrap(), "resolved").unwrap(), recipe);
}

#[test]
fn origins_have_weights() {
    let read = |text: &str| Recipe::from_toml(&format!("{SMALL}[losses.origin_weights]\n{text}"), "my.toml");
    let recipe = read("puzzle = 0.2\nself_play = 3\n").unwrap();
    let weights = recipe.losses.origin_weights;
    assert_eq!((weights.puzzle, weights.self_play, weights.human, weights.unknown), (0.2, 3.0, 1.0, 1.0));
    assert_eq!(Recipe::from_toml(&recipe.to_toml().unwrap(), "resolved").unwrap(), recipe);
    assert!(!read("").unwrap().to_toml().unwrap().contains("origin_weights"));
    let unknown = read("puzzles = 1").unwrap_err().to_string();
    assert!(unknown.contains("puzzles") && unknown.contains("self_play"), "{unknown}");
    let negative = read("engine = -1").unwrap_err().to_string();
    assert!(negative.contains("losses.origin_weights.engine = -1: expected 0 to 1000"), "{negative}");
}

#[test]
fn an_experiment_is_a_recipe_whose_other_sections_training_ignores() {
    let alone =
        "title = \"x\"\ndata = \"stores/x\"\n[training]\nsteps = 1000\n[network]\nblocks = 1\nchannels = 8\n";
    let experiment = "title = \"x\"\n[data]\nstore = \"stores/x\"\nsources = [\"games.pgn\"]\n[training]\nsteps = 1000\n\
        [network]\nblocks = 1\nchannels = 8\n[search]\nkind = \"value\"\n[[evaluation]]\nname = \"y\"\n";
    let [alone, experiment] = [alone, experiment].map(|text| Recipe::from_toml(text, "test").unwrap());
    assert_eq!(alone, experiment);
    assert_eq!(alone.to_toml().unwrap(), experiment.to_toml().unwrap());
    let nowhere =
        "title = \"x\"\n[data]\nsources = []\n[training]\nsteps = 1\n[network]\nblocks = 1\nchannels = 8\n";
    let error = Recipe::from_toml(nowhere, "test").unwrap_err().to_string();
    assert!(error.contains("missing field `store`"), "{error}");
}
