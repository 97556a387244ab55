mod eight_bits;
mod grown;
mod imported;
mod layers;
mod memory;
mod probes;

use std::{collections::HashSet, path::Path};

use chess::StopSignal;
use dataset::Batch;
use network::{
    Body, CpuOptions, NetworkError, PlaneSpec, Spec, ValueKind, Weights,
    synthetic::{self, tiny_spec},
};

use super::*;
use crate::{Learner, LossConfig, OptimiserConfig, Recipe, Schedule, TrainingError, synthetic::Synthetic};

/// Stops the run after some steps, or never.
#[derive(Default)]
struct Stopper {
    at: Option<u64>,
    signal: StopSignal,
    validations: Vec<(u64, Validation)>,
}

impl TrainingObserver for Stopper {
    fn step(&mut self, progress: &StepProgress) {
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

fn set_channels(recipe: &mut Recipe, channels: usize) {
    let Spec::Planes(PlaneSpec { body: Body::Tower(tower), .. }) = &mut recipe.network else {
        panic!("a tower")
    };
    tower.channels = channels;
}

fn run(trainer: &mut Trainer<'_>, at: Option<u64>) -> TrainingOutcome {
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

/// A run that had been suspended for an hour promised its end by the mean speed since its start.
#[test]
fn the_speed_that_is_shown_forgets_a_pause() {
    let mut meter = Meter::default();
    for _ in 0..100 {
        meter.add(64, 1.0);
    }
    assert!((meter.rate() - 64.0).abs() < 1e-9);
    meter.add(64, 3600.0);
    for _ in 0..300 {
        meter.add(64, 1.0);
    }
    assert!((meter.rate() - 64.0).abs() < 1.0, "{}", meter.rate());
}

#[test]
fn a_resumed_run_has_the_losses_of_an_uninterrupted_one() {
    // 40 samples in batches of 16: the interruption and the comparison cross the end of an epoch.
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let outcome = run(&mut Trainer::start(recipe(6), &samples, &whole, None).unwrap(), None);
    assert_eq!((outcome.ending, outcome.step), (EndReason::Finished, 6));

    let first = run(&mut Trainer::start(recipe(6), &samples, &parts, None).unwrap(), Some(3));
    assert_eq!((first.ending, first.step, first.network), (EndReason::Interrupted, 3, None));
    let second = run(&mut Trainer::resume(recipe(6), &samples, &parts).unwrap(), None);
    assert_eq!((second.ending, second.step, second.positions), (EndReason::Finished, 6, outcome.positions));

    assert_eq!(losses(&whole), losses(&parts));
    let weights = |run: &Path| Weights::read(&run.join("network.tabiya")).unwrap();
    let mut resumed = weights(&parts);
    resumed.provenance = weights(&whole).provenance;
    assert_eq!(resumed, weights(&whole));
    for name in ["recipe.toml", "summary.json", "curves.svg", "log.jsonl"] {
        assert!(whole.join(name).exists(), "{name}");
    }
    let text = std::fs::read_to_string(whole.join("summary.json")).unwrap();
    assert!(!text.contains(folder.path().to_str().unwrap()), "{text}");
    let (summary, from) =
        (serde_json::from_str::<serde_json::Value>(&text).unwrap(), weights(&whole).provenance);
    let expected = serde_json::json!({ "commit": from.commit, "data": from.data, "hardware": from.hardware });
    assert_eq!((&summary["network"], &summary["provenance"]), (&"network.tabiya".into(), &expected));
}

/// Such a run had no best weights, and could not be finished at that step.
#[test]
fn a_run_stopped_before_its_first_validation_can_end_there() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rarely = |steps| {
        let mut recipe = recipe(steps);
        recipe.training.validation_interval = 100;
        recipe
    };
    run(&mut Trainer::start(rarely(6), &samples, folder, None).unwrap(), Some(3));
    let ended = run(&mut Trainer::resume(rarely(3), &samples, folder).unwrap(), None);
    assert_eq!((ended.ending, ended.step, ended.exported_step), (EndReason::Finished, 3, Some(3)));
    assert!(ended.validation.is_some() && folder.join("network.tabiya").exists());
}

#[test]
fn every_program_that_worked_on_a_run_is_recorded() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(&mut Trainer::start(recipe(4), &samples, folder, None).unwrap().built_from("a"), Some(1));
    run(&mut Trainer::resume(recipe(4), &samples, folder).unwrap().built_from("b"), Some(2));
    run(&mut Trainer::resume(recipe(4), &samples, folder).unwrap().built_from("b"), None);
    let weights = Weights::read(&folder.join("network.tabiya")).unwrap();
    assert_eq!(weights.provenance.commit, "a, then b");
}

#[test]
fn a_folder_with_a_run_is_not_overwritten_and_foreign_checkpoints_are_refused() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    run(&mut Trainer::start(recipe(2), &samples, folder.path(), None).unwrap(), None);
    let again = Trainer::start(recipe(2), &samples, folder.path(), None).err().unwrap().to_string();
    assert!(again.contains("--resume"), "{again}");
    let learners = tempfile::tempdir().unwrap();
    std::fs::write(learners.path().join(files::run::LEARNERS), "learned").unwrap();
    let replaced = Trainer::start(recipe(2), &samples, learners.path(), None).err().unwrap().to_string();
    assert!(replaced.contains("the learners of a run") && !learners.path().join(files::run::RECIPE).exists());
    let other = Synthetic::new(&tiny_spec(), 41, 40);
    let foreign = Trainer::resume(recipe(2), &other, folder.path()).err().unwrap().to_string();
    assert!(foreign.contains("another store") && foreign.contains("--from"), "{foreign}");
    let empty = tempfile::tempdir().unwrap();
    let nothing = Trainer::resume(recipe(2), &samples, empty.path()).err().unwrap().to_string();
    assert!(nothing.contains("no checkpoint"), "{nothing}");
}

#[test]
fn a_truncated_checkpoint_is_named() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    run(&mut Trainer::start(recipe(2), &samples, folder.path(), None).unwrap(), None);
    let path = folder.path().join("checkpoints/step-00000002.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 100]).unwrap();
    let resume = || Trainer::resume(recipe(2), &samples, folder.path());
    let error = resume().err().unwrap().to_string();
    let before = folder.path().join("checkpoints/step-00000000.safetensors");
    assert!(
        error.contains("step-00000002") && error.contains("a complete tabiya-checkpoint file"),
        "{error}"
    );
    assert!(error.contains(&format!("deleting it lets the run resume from {}", before.display())), "{error}");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(resume().unwrap().step(), 0);
    std::fs::remove_file(before).unwrap();
    std::fs::write(&path, &bytes[..5]).unwrap();
    let error = resume().err().unwrap();
    assert!(
        matches!(error, TrainingError::Network(NetworkError::Format { .. })),
        "nothing to go back to: {error}"
    );
}

#[test]
fn a_run_that_stops_getting_better_ends_early() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let mut recipe = recipe(400);
    // Random moves cannot be predicted: memorising the training samples makes validation worse.
    recipe.training.patience = 3;
    let outcome = run(&mut Trainer::start(recipe, &samples, folder.path(), None).unwrap(), None);
    assert_eq!(outcome.ending, EndReason::Stale);
    let exported = outcome.exported_step.unwrap();
    assert_eq!(outcome.step, exported + 2 * 3);
}

#[test]
fn a_tiny_network_memorises_64_samples() {
    let spec = tiny_spec();
    let games = synthetic::positions(64, 7);
    let batch = synthetic::batch(&spec, &games, 7);
    let optimiser = OptimiserConfig { average_decay: 0.9, weight_decay: 0.0, ..OptimiserConfig::default() };
    let losses = LossConfig::default();
    let mut learner = Learner::new(&spec, losses, optimiser, 1).unwrap();
    let before = learner.step(&batch, 0.01).unwrap();
    for _ in 0..250 {
        learner.step(&batch, 0.01).unwrap();
    }
    let batches = [batch];
    let statistics = learner.measure_statistics(&batches).unwrap();
    let architecture = learner.architecture.clone();
    let average = learner.network.averaged();
    let forward = |batch: &Batch| learner.forward(&average, &statistics, batch);
    let [batch] = batches;
    let trained = batch.keys[..16].iter().copied().collect();
    let held_out = HeldOut { batches: vec![batch], trained };
    let measured = Validation::measure(&architecture, forward, &held_out, &losses).unwrap();
    let (after, unseen) = (measured.overall, measured.unseen.unwrap());
    let left_out =
        held_out.batches[0].keys.iter().filter(|key| held_out.trained.contains(key)).count() as u64;
    assert_eq!((after.positions, unseen.positions), (64, 64 - left_out));
    assert!(unseen.top1 > 0.9 && unseen.value_positions < after.value_positions, "{unseen:?}");
    assert!(
        (f64::from(before.policy_loss) - after.baselines.policy_loss).abs() < 0.3,
        "{before:?} {after:?}"
    );
    assert!(after.top1 > 0.95, "{after:?}");
    // Targets are soft, so their cross-entropy has a floor above zero; the error of the expected score does not.
    let (error, baseline) = (after.value_error.unwrap(), after.baselines.value_error.unwrap());
    assert!(error < 0.05 && error < baseline / 2.0, "{after:?}");
}

#[test]
fn a_finished_run_goes_on_with_more_steps() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(&mut Trainer::start(recipe(4), &samples, folder, None).unwrap(), None);
    let mut longer = recipe(8);
    longer.schedule = Schedule::Plateau { peak: 0.01, last: 0.001, warmup: 2, fall: 4, tail: 1 };
    longer.training.validation_positions = 32;
    let mut trainer = Trainer::resume(longer.clone(), &samples, folder).unwrap();
    let keys: Vec<&str> = trainer.changes().iter().map(|change| change.difference.key.as_str()).collect();
    assert!(keys.contains(&"training.steps") && keys.contains(&"schedule.kind"), "{keys:?}");
    let outcome = run(&mut trainer, None);
    assert_eq!((outcome.ending, outcome.step), (EndReason::Finished, 8));
    assert_eq!(losses(folder).iter().map(|line| line.0).collect::<Vec<_>>(), (1..=8).collect::<Vec<_>>());
    assert_eq!(Recipe::read(folder).unwrap(), longer);
    let changes = Weights::read(&folder.join("network.tabiya")).unwrap().provenance.changes;
    let steps = changes.iter().find(|change| change.difference.key == "training.steps").unwrap();
    assert_eq!((steps.after_step, steps.difference.before.as_str()), (4, "4"));
    let shorter = Trainer::resume(recipe(7), &samples, folder).err().unwrap().to_string();
    assert!(shorter.contains("training.steps = 7: expected at least 8"), "{shorter}");
}

/// A kill between the best weights and the checkpoint of a step. With the same settings the run comes to these weights again;
/// with others they would have counted as those of an earlier step.
#[test]
fn best_weights_that_a_changed_run_does_not_come_to_do_not_count() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(&mut Trainer::start(recipe(4), &samples, folder, None).unwrap(), Some(2));
    let checkpoints = Checkpoints::new(folder).unwrap();
    let newest = checkpoints.all().unwrap().pop().unwrap();
    let kept = std::fs::read(&newest).unwrap();
    run(&mut Trainer::resume(recipe(4), &samples, folder).unwrap(), None);
    std::fs::rename(checkpoints.path(4), checkpoints.best()).unwrap();
    std::fs::write(&newest, kept).unwrap();
    let best = |recipe: Recipe| Trainer::resume(recipe, &samples, folder).unwrap().state.best;
    assert_eq!(best(recipe(4)).unwrap().1, 2, "step 4 comes again");
    let mut changed = recipe(4);
    changed.training.validation_positions = 32;
    assert_eq!(best(changed), None);
}

#[test]
fn a_resumed_run_names_the_line_that_may_not_change() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(&mut Trainer::start(recipe(2), &samples, folder, None).unwrap(), None);
    let refusal = |change: fn(&mut Recipe)| {
        let mut recipe = recipe(2);
        change(&mut recipe);
        Trainer::resume(recipe, &samples, folder).err().unwrap().to_string()
    };
    let batch = refusal(|recipe| recipe.training.batch = 8);
    assert!(batch.contains("training.batch = 8 (was 16)") && batch.contains("--from"), "{batch}");
    let channels = refusal(|recipe| set_channels(recipe, 32));
    assert!(channels.contains("network.channels = 32 (was 16)"), "{channels}");
    assert!(!channels.contains("title"), "only the line that differs: {channels}");
}

#[test]
fn a_run_starts_from_the_weights_of_another() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let before = run(&mut Trainer::start(recipe(6), &samples, &first, None).unwrap(), None);
    let weights = Weights::read(&first.join("network.tabiya")).unwrap();
    let mut trainer = Trainer::start(recipe(2), &samples, &second, Some(&weights)).unwrap();
    let mut observer = Stopper::default();
    let signal = observer.signal.clone();
    trainer.run(&mut observer, &signal).unwrap();
    let (step, validation) = &observer.validations[0];
    // Statistics are measured on the same number of positions as before, so the weights validate identically.
    assert_eq!((*step, validation), (0, &before.validation.unwrap()));
    let origin = Weights::read(&second.join("network.tabiya")).unwrap().provenance.origin.unwrap();
    assert_eq!((origin.name.as_str(), origin.hash.len()), ("first", 32));

    let mut wider = recipe(2);
    set_channels(&mut wider, 32);
    let third = folder.path().join("third");
    let refused = Trainer::start(wider, &samples, &third, Some(&weights)).err().unwrap().to_string();
    assert_eq!(
        refused,
        "recipe: network.channels = 32: expected 16, as in the network first that the run starts from"
    );
    assert!(!third.join("recipe.toml").exists());
}

#[test]
fn a_scalar_head_is_validated_by_the_loss_it_is_trained_with() {
    // Validated with cross-entropy, the same network had a loss of 20, because a scalar head cannot predict draws.
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let mut recipe = recipe(60);
    let Spec::Planes(network) = &mut recipe.network else { panic!("planes") };
    network.value.kind = ValueKind::Scalar;
    recipe.losses.policy_weight = 0.0;
    recipe.training.validation_interval = 20;
    let mut observer = Stopper::default();
    let mut trainer = Trainer::start(recipe, &samples, folder.path(), None).unwrap();
    let outcome = trainer.run(&mut observer, &StopSignal::default()).unwrap();
    let last =
        read_log(&folder.path().join("log.jsonl")).unwrap().into_iter().rev().find_map(|line| match line {
            LogLine::Step { value_loss, .. } => Some(f64::from(value_loss)),
            LogLine::Validation { .. } => None,
        });
    let (validation, best) = (outcome.validation.unwrap().overall, outcome.exported_step.unwrap());
    let (found, baseline) = (validation.value_loss.unwrap(), validation.baselines.value_loss.unwrap());
    assert!(found < 1.0 && (found - last.unwrap()).abs() < 0.5, "{found} after {last:?} in training");
    assert!(baseline < 1.0, "the mean value's squared error: {baseline}");
    assert!((validation.loss - found).abs() < 1e-9, "the policy has no weight: {validation:?}");
    let values = observer.validations.iter().map(|(step, found)| (found.overall.value_loss.unwrap(), *step));
    assert_eq!(best, values.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap().1);
}

#[test]
fn s5_k9_illegal_moves_lose_their_probability_where_they_cost() {
    let spec = tiny_spec();
    let batch = synthetic::batch(&spec, &synthetic::positions(64, 7), 7);
    let illegal = |weight: f32| {
        let losses = LossConfig { illegal_move_weight: weight, ..LossConfig::default() };
        let optimiser = OptimiserConfig { average_decay: 0.0, ..OptimiserConfig::default() };
        let mut learner = Learner::new(&spec, losses, optimiser, 1).unwrap();
        for _ in 0..60 {
            let report = learner.step(&batch, 0.01).unwrap();
            assert_eq!(report.illegal_move_loss.is_some(), weight > 0.0);
        }
        let (batches, architecture) = ([batch.clone()], learner.architecture.clone());
        let statistics = learner.measure_statistics(&batches).unwrap();
        let average = learner.network.averaged();
        let forward = |batch: &Batch| learner.forward(&average, &statistics, batch);
        let held_out = HeldOut { batches: batches.into(), trained: HashSet::new() };
        let validation = Validation::measure(&architecture, forward, &held_out, &losses).unwrap();
        assert_eq!(validation.unseen, None, "all are unseen");
        let metrics = validation.overall;
        (metrics.illegal_move_loss.unwrap(), metrics.baselines.illegal_move_loss.unwrap())
    };
    let ((masked, baseline), (penalised, _)) = (illegal(0.0), illegal(1.0));
    assert!(penalised < 0.25 * baseline && penalised < 0.5 * masked, "{masked}, {penalised}, {baseline}");
}

#[test]
fn every_epoch_leaves_a_checkpoint_that_goes_on_alike() {
    // Three batches per epoch: the second epoch ends with step 6.
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let mut recipe = recipe(8);
    recipe.training.epoch_checkpoints = true;
    recipe.training.keep = 1;
    run(&mut Trainer::start(recipe.clone(), &samples, &whole, None).unwrap(), None);
    let names: Vec<String> = std::fs::read_dir(whole.join("checkpoints"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("epoch-"))
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    run(&mut Trainer::start(recipe.clone(), &samples, &cut, None).unwrap(), Some(6));
    // Resume from the epoch's checkpoint instead of the one left by the interruption.
    for entry in std::fs::read_dir(cut.join("checkpoints")).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("step-") {
            std::fs::remove_file(path).unwrap();
        }
    }
    let epoch = cut.join("checkpoints/epoch-0002.safetensors");
    std::fs::copy(epoch, cut.join("checkpoints/step-00000006.safetensors")).unwrap();
    run(&mut Trainer::resume(recipe, &samples, &cut).unwrap(), None);
    assert_eq!(losses(&whole), losses(&cut));
}

/// A network with a value in pawns and no policy: trained, validated against the best constant,
/// written, read and played.
#[test]
fn a_value_in_pawns_is_trained_and_validated_in_pawns() {
    let text = r#"
        title = "pawns"
        data = "nowhere"
        [training]
        steps = 40
        batch = 40
        validation_interval = 20
        validation_positions = 40
        [network]
        policy = { kind = "none" }
        value = { kind = "pawns", limit = 9.0, layers = [{ kind = "dense", units = 16 }, { kind = "activation" }] }
        body = [{ kind = "convolution", channels = 4, size = 5, padding = 1 }, { kind = "activation" }, { kind = "flatten" }]
        [losses]
        policy_weight = 0.0
        value_loss = { kind = "absolute" }
        value_target = { from = "evaluation" }
        [optimiser]
        kind = "adam"
        weight_decay = 0.0
        [schedule]
        kind = "constant"
        peak = 0.01
    "#;
    let recipe = Recipe::from_toml(text, "test").unwrap();
    let samples = Synthetic::new(&recipe.network, 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let mut trainer = Trainer::start(recipe.clone(), &samples, folder.path(), None).unwrap();
    assert!(trainer.arithmetic().starts_with("kernels on "), "{}", trainer.arithmetic());
    let outcome = run(&mut trainer, None);
    let lines = losses(folder.path());
    let (first, last) = (lines[0].2, lines.last().unwrap().2);
    assert!(last < 0.5 * first && last > 0.0, "{first}, {last}");
    let metrics = outcome.validation.unwrap().overall;
    // Every fifth sample in a piece has no evaluation, with or without a result.
    assert_eq!((metrics.positions, metrics.value_positions), (40, 33));
    let baseline = metrics.baselines.value_loss.unwrap();
    let held_out = synthetic::positions(40, 2);
    let pieces = held_out.chunks(32).map(|games| synthetic::batch(&recipe.network, games, 1));
    let mut pawns: Vec<f64> = pieces
        .flat_map(|batch| batch.evaluations)
        .filter_map(|score| match score? {
            chess::Score::Centipawns(centipawns) => Some((f64::from(centipawns) / 100.0).clamp(-9.0, 9.0)),
            chess::Score::Mate(_) => None,
        })
        .collect();
    pawns.sort_by(f64::total_cmp);
    let expected = pawns.iter().map(|found| (found - pawns[16]).abs()).sum::<f64>() / 33.0;
    assert!((baseline - expected).abs() < 1e-4, "{baseline}, by hand {expected}");
    let difference = metrics.policy_loss - metrics.baselines.policy_loss;
    assert!(difference.abs() < 1e-6, "no policy is the uniform one");
    let network = network::open(&folder.path().join("network.tabiya"), CpuOptions::default());
    chess::laws::evaluator::check(&*network.unwrap(), &synthetic::positions(8, 5), 1e-5);
}
