//! Runs that start from a smaller network.

use super::*;

/// A network trained for a few steps, with its specification and its last validation.
fn trained(folder: &Path, text: &str) -> (Spec, Weights, Validation) {
    let spec = Spec::from_toml(text).unwrap();
    let samples = Synthetic::new(&spec, 40, 40);
    let mut smaller = recipe(6);
    smaller.network = spec.clone();
    let outcome = run(&mut Trainer::start(smaller, &samples, folder, None).unwrap(), None);
    let weights = Weights::read(&folder.join("network.tabiya")).unwrap();
    (spec, weights, outcome.validation.unwrap())
}

const SMALL: &str = "blocks = 3\nchannels = 16\nsqueeze_excite = { ratio = 4, blocks = [1] }\nvalue = { channels = 4, hidden = 16 }";

#[test]
fn a_run_starts_from_a_smaller_network_with_its_answers() {
    let folder = tempfile::tempdir().unwrap();
    let (spec, weights, before) = trained(&folder.path().join("first"), SMALL);
    let larger = [
        "input = \"tabiya-rated\"",
        "squeeze_excite = { ratio = 4 }",
        "squeeze_excite = { ratio = 4, blocks = [0, 1] }\npolicy = { kind = \"convolution\" }",
        "input = \"tabiya-rated-moves\"\nsqueeze_excite = { ratio = 4 }\npolicy = { kind = \"convolution\" }",
    ];
    for (number, changes) in larger.into_iter().enumerate() {
        let wanted = with(SMALL, changes);
        let samples = Synthetic::new(&wanted, 40, 40);
        let mut next = recipe(2);
        next.network = wanted;
        let place = folder.path().join(number.to_string());
        let mut trainer = Trainer::start(next, &samples, &place, Some(&weights)).unwrap();
        let mut observer = Stopper::default();
        trainer.run(&mut observer, &StopSignal::default()).unwrap();
        let (found, expected) = (&observer.validations[0].1.overall, &before.overall);
        // Sums over more channels may round differently.
        for (found, expected) in [
            (found.policy_loss, expected.policy_loss),
            (found.value_loss.unwrap(), expected.value_loss.unwrap()),
        ] {
            assert!((found - expected).abs() < 1e-4, "{changes}: {found}, expected {expected}");
        }
        let after = &observer.validations.last().unwrap().1.overall;
        assert!((after.loss - expected.loss).abs() > 1e-4, "{changes}: it learns");
    }
    assert!(weights.grown(&spec).unwrap().is_none(), "nothing is added");
}

/// A specification with some keys replaced.
fn with(text: &str, changes: &str) -> Spec {
    let mut table: toml::Table = text.parse().unwrap();
    table.extend(changes.parse::<toml::Table>().unwrap());
    Spec::from_toml(&table.to_string()).unwrap()
}

#[test]
fn a_network_grows_by_steps_as_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (_, weights, _) = trained(folder.path(), SMALL);
    let rated = with(SMALL, "input = \"tabiya-rated\"");
    let (moves, all) = ("input = \"tabiya-rated-moves\"", "squeeze_excite = { ratio = 4 }");
    let head = "policy = { kind = \"convolution\" }";
    let grown = |weights: &Weights, wanted: &Spec| weights.grown(wanted).unwrap().unwrap();
    let by_steps = grown(&grown(&weights, &rated), &with(SMALL, moves));
    assert_eq!(grown(&weights, &with(SMALL, moves)), by_steps);
    let excited = grown(&weights, &with(SMALL, all));
    let both = with(SMALL, &format!("{all}\n{head}"));
    assert_eq!(grown(&weights, &both), grown(&excited, &both));
}

#[test]
fn what_no_weights_can_make_up_for_is_no_growth() {
    let folder = tempfile::tempdir().unwrap();
    let (_, weights, _) = trained(folder.path(), SMALL);
    for changes in [
        "input = \"lc0-112\"",
        "blocks = 4",
        "channels = 32",
        "activation = \"mish\"",
        "squeeze_excite = { ratio = 4, blocks = [0, 2] }",
        "squeeze_excite = { ratio = 2 }",
        "policy = { kind = \"convolution\", channels = 8 }",
        "policy = { kind = \"dense\", channels = 4 }",
        "value = { channels = 8, hidden = 16 }",
    ] {
        assert!(weights.grown(&with(SMALL, changes)).unwrap().is_none(), "{changes}");
    }
}
