use std::path::Path;

use chess::StopSignal;
use dataset::Batch;

use super::{Ending, LogLine, Observer, Outcome, Progress, Trainer, Validation, read_log};
use crate::{
    Device, Learner, NetworkError, OptimiserConfig, Recipe, Weights,
    losses::LossConfig,
    synthetic::{self, Synthetic, tiny_spec},
};

/// Stops the run after some steps, or never.
#[derive(Default)]
struct Stopper {
    at: Option<u64>,
    signal: StopSignal,
    validations: Vec<(u64, Validation)>,
}

impl Observer for Stopper {
    fn step(&mut self, progress: &Progress) {
        if self.at == Some(progress.step) {
            self.signal.stop();
        }
    }

    fn validation(&mut self, step: u64, validation: &Validation) {
        self.validations.push((step, validation.clone()));
    }

    fn checkpoint(&mut self, _step: u64, path: &Path) {
        assert!(path.exists(), "{}", path.display());
    }
}

fn recipe(steps: u64) -> Recipe {
    let text = format!(
        r#"
        title = "test"
        data = "nowhere"
        [training]
        steps = {steps}
        batch = 16
        threads = 2
        validation_interval = 2
        validation_positions = 40
        statistics_positions = 32
        checkpoint_interval = 100
        log_interval = 1
        [network]
        blocks = 1
        channels = 16
        value = {{ channels = 4, hidden = 16 }}
        [schedule]
        kind = "cosine"
        peak = 0.01
        last = 0.0001
        warmup = 2
        "#
    );
    Recipe::from_toml(&text, "test").unwrap()
}

fn run(trainer: &mut Trainer<'_>, at: Option<u64>) -> Outcome {
    let mut stopper = Stopper { at, ..Stopper::default() };
    let signal = stopper.signal.clone();
    trainer.run(&mut stopper, &signal).unwrap()
}

fn losses(folder: &Path) -> Vec<(u64, f32, f32, f32)> {
    read_log(&folder.join("log.jsonl"))
        .unwrap()
        .into_iter()
        .filter_map(|line| match line {
            LogLine::Step { step, policy_loss, value_loss, gradient_norm, .. } => {
                Some((step, policy_loss, value_loss, gradient_norm))
            }
            LogLine::Validation { .. } => None,
        })
        .collect()
}

#[test]
fn a_resumed_run_has_the_losses_of_an_uninterrupted_one() {
    // 40 samples in batches of 16: the interruption and the comparison cross the end of an epoch.
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let device = Device::cpu();
    let outcome = run(&mut Trainer::start(recipe(6), &samples, &whole, &device).unwrap(), None);
    assert_eq!((outcome.ending, outcome.step), (Ending::Finished, 6));

    let first = run(&mut Trainer::start(recipe(6), &samples, &parts, &device).unwrap(), Some(3));
    assert_eq!((first.ending, first.step, first.network), (Ending::Interrupted, 3, None));
    let second = run(&mut Trainer::resume(recipe(6), &samples, &parts, &device).unwrap(), None);
    assert_eq!((second.ending, second.step, second.positions), (Ending::Finished, 6, outcome.positions));

    assert_eq!(losses(&whole), losses(&parts));
    let weights = |run: &Path| Weights::read(&run.join("network.tabiya")).unwrap();
    let mut resumed = weights(&parts);
    resumed.provenance = weights(&whole).provenance;
    assert_eq!(resumed, weights(&whole));
    for name in ["recipe.toml", "summary.json", "curves.svg", "log.jsonl"] {
        assert!(whole.join(name).exists(), "{name}");
    }
    let summary = std::fs::read_to_string(whole.join("summary.json")).unwrap();
    assert!(summary.contains("\"network\": \"network.tabiya\""), "{summary}");
    assert!(!summary.contains(folder.path().to_str().unwrap()), "{summary}");
}

#[test]
fn every_program_that_worked_on_a_run_is_recorded() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let (folder, device) = (folder.path(), Device::cpu());
    run(&mut Trainer::start(recipe(4), &samples, folder, &device).unwrap().built_from("a"), Some(1));
    run(&mut Trainer::resume(recipe(4), &samples, folder, &device).unwrap().built_from("b"), Some(2));
    run(&mut Trainer::resume(recipe(4), &samples, folder, &device).unwrap().built_from("b"), None);
    let weights = Weights::read(&folder.join("network.tabiya")).unwrap();
    assert_eq!(weights.provenance.commit, "a, then b");
}

#[test]
fn a_folder_with_a_run_is_not_overwritten_and_foreign_checkpoints_are_refused() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let device = Device::cpu();
    run(&mut Trainer::start(recipe(2), &samples, folder.path(), &device).unwrap(), None);
    let again = Trainer::start(recipe(2), &samples, folder.path(), &device).err().unwrap().to_string();
    assert!(again.contains("--resume"), "{again}");
    let longer = Trainer::resume(recipe(3), &samples, folder.path(), &device).err().unwrap().to_string();
    assert!(longer.contains("recipe differs"), "{longer}");
    let other = Synthetic::new(&tiny_spec(), 41, 40);
    let foreign = Trainer::resume(recipe(2), &other, folder.path(), &device).err().unwrap().to_string();
    assert!(foreign.contains("data hash differs"), "{foreign}");
    let empty = tempfile::tempdir().unwrap();
    let nothing = Trainer::resume(recipe(2), &samples, empty.path(), &device).err().unwrap().to_string();
    assert!(nothing.contains("no checkpoint"), "{nothing}");
}

#[test]
fn a_truncated_checkpoint_is_named() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let device = Device::cpu();
    run(&mut Trainer::start(recipe(2), &samples, folder.path(), &device).unwrap(), None);
    let path = folder.path().join("checkpoints/step-00000002.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 100]).unwrap();
    let error = Trainer::resume(recipe(2), &samples, folder.path(), &device).err().unwrap();
    assert!(matches!(error, NetworkError::Format { .. }), "{error}");
    assert!(error.to_string().contains("step-00000002"), "{error}");
}

#[test]
fn a_run_that_stops_getting_better_ends_early() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let mut recipe = recipe(400);
    // Random moves cannot be predicted: memorising the training samples makes validation worse.
    recipe.training.patience = 3;
    let outcome = run(&mut Trainer::start(recipe, &samples, folder.path(), &Device::cpu()).unwrap(), None);
    assert_eq!(outcome.ending, Ending::Stale);
    let exported = outcome.exported_step.unwrap();
    assert_eq!(outcome.step, exported + 2 * 3);
}

#[test]
fn a_tiny_network_memorises_64_samples() {
    let spec = tiny_spec();
    let games = synthetic::positions(64, 7);
    let batch = synthetic::batch(&spec, &games, 7);
    let optimiser = OptimiserConfig { average_decay: 0.9, weight_decay: 0.0, ..OptimiserConfig::default() };
    let device = Device::cpu();
    let losses = LossConfig::default();
    let mut learner = Learner::new(&spec, losses, optimiser, 1, &device).unwrap();
    let before = learner.step(&batch, 0.01).unwrap();
    for _ in 0..250 {
        learner.step(&batch, 0.01).unwrap();
    }
    let batches = [batch];
    let statistics = learner.measure_statistics(&batches).unwrap();
    let kind = spec.value.kind;
    let answers = |batch: &Batch| learner.answers(&statistics, batch);
    let after = Validation::measure(kind, answers, &batches, &losses).unwrap().overall;
    assert!(
        (f64::from(before.policy_loss) - after.baselines.policy_loss).abs() < 0.3,
        "{before:?} {after:?}"
    );
    assert!(after.top1 > 0.95, "{after:?}");
    // Targets are soft, so their cross-entropy has a floor; the error of the expected score has none.
    let (error, baseline) = (after.value_error.unwrap(), after.baselines.value_error.unwrap());
    assert!(error < 0.05 && error < baseline / 2.0, "{after:?}");
}
