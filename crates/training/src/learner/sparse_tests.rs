//! Tests that the loss of sparse networks falls, and that a resumed run equals an uninterrupted one.

use std::path::Path;

use chess::StopSignal;
use dataset::Batch;
use network::{
    OptimiserConfig,
    architecture::Architecture,
    container::Container,
    synthetic::{batch, positions, tiny_sparse_spec},
};

use crate::{
    Learner, LossConfig, Recipe, StepProgress, Trainer, TrainingObserver, TrainingOutcome, Validation,
    synthetic::Synthetic,
};

#[test]
fn a_sparse_network_learns_a_batch_by_heart() {
    let spec = tiny_sparse_spec();
    let batch = batch(&spec, &positions(24, 5), 1);
    let (losses, optimiser) = (LossConfig::default(), OptimiserConfig::default());
    let mut learner = Learner::new(&spec, losses, optimiser, 1).unwrap();
    let first = learner.step(&batch, 0.02).unwrap();
    let last = (0..200).map(|_| learner.step(&batch, 0.02).unwrap()).last().unwrap();
    assert!(last.policy_loss < 0.2 * first.policy_loss, "{first:?} {last:?}");
    assert!(last.value_loss < 0.8 * first.value_loss, "{first:?} {last:?}");
}

#[test]
fn samples_without_weight_in_a_loss_do_not_teach_it() {
    let spec = tiny_sparse_spec();
    let mut batch = batch(&spec, &positions(16, 5), 1);
    let learned = |batch: &Batch| {
        let mut learner = Learner::new(&spec, LossConfig::default(), OptimiserConfig::default(), 1).unwrap();
        learner.step(batch, 0.02).unwrap();
        let shapes = Architecture::new(&spec).unwrap();
        let names = shapes.parameters().iter().map(|shape| shape.name.clone());
        names.zip(learner.network.averaged()).collect::<Vec<_>>()
    };
    let before = learned(&batch);
    batch.policy_weights[3] = 0.0;
    let after = learned(&batch);
    assert_only_part_differs("policy", &before, &after);
    // The policy target of a sample without weight does not matter.
    let moves = batch.legal_offsets[3] as usize..batch.legal_offsets[4] as usize;
    batch.policy[moves.clone()].rotate_left(1);
    assert!(learned(&batch) == after);
    // Moves, and features that only the policy reads, do not change the result either.
    let mut without = batch.clone();
    without.policy.drain(moves.clone());
    without.sparse.move_rows.drain(moves.clone());
    without.sparse.kind_rows.drain(moves.clone());
    without.legal_offsets[4..].iter_mut().for_each(|offset| *offset -= moves.len() as u32);
    let features = &mut without.sparse.features[1];
    let read = features.offsets[3] as usize..features.offsets[4] as usize;
    features.numbers.drain(read.clone());
    features.offsets[4..].iter_mut().for_each(|offset| *offset -= read.len() as u32);
    assert!(!moves.is_empty() && !read.is_empty() && learned(&without) == after);

    batch.value_weights[3] = 0.0;
    let valueless = learned(&batch);
    assert_only_part_differs("value", &after, &valueless);
}

/// Adam's first step depends only on the sign of the gradient, so a matrix may stay equal if its gradient keeps its signs: some
/// matrices of the part differ, and none of the other part.
fn assert_only_part_differs(part: &str, one: &[(String, Vec<f32>)], other: &[(String, Vec<f32>)]) {
    let both = one.iter().zip(other);
    let different: Vec<&String> =
        both.filter(|((_, one), (_, other))| one != other).map(|((name, _), _)| name).collect();
    assert!(!different.is_empty() && different.iter().all(|name| name.starts_with(part)), "{different:?}");
}

fn recipe(steps: u64) -> Recipe {
    let network = network::synthetic::tiny_sparse_spec().to_toml().unwrap();
    let text = format!(
        r#"
        title = "test"
        data = "nowhere"
        [training]
        steps = {steps}
        batch = 16
        threads = 2
        validation_interval = 4
        validation_positions = 40
        checkpoint_interval = 100
        log_interval = 1
        [network]
        {network}
        [schedule]
        kind = "cosine"
        peak = 0.01
        last = 0.0001
        warmup = 2
        "#
    );
    Recipe::from_toml(&text, "test").unwrap()
}

/// Stops the run after some steps, or never.
struct Stopper(Option<u64>, StopSignal);

impl TrainingObserver for Stopper {
    fn step(&mut self, progress: &StepProgress) {
        if self.0 == Some(progress.step) {
            self.1.stop();
        }
    }

    fn validation(&mut self, _step: u64, validation: &Validation) {
        assert!(validation.overall.value_correlation.is_some() && validation.overall.value_rms.is_some());
    }

    fn checkpoint(&mut self, _step: u64, path: &Path) {
        assert!(path.exists(), "{}", path.display());
    }
}

fn run(trainer: &mut Trainer<'_>, at: Option<u64>) -> TrainingOutcome {
    let signal = StopSignal::default();
    trainer.run(&mut Stopper(at, signal.clone()), &signal).unwrap()
}

#[test]
fn a_resumed_run_ends_with_the_weights_of_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let samples = Synthetic::new(&tiny_sparse_spec(), 150, 40);
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let mut trainer = Trainer::start(recipe(30), &samples, &whole, None).unwrap();
    let outcome = run(&mut trainer, None);
    assert!(outcome.network.is_some());
    let mut trainer = Trainer::start(recipe(30), &samples, &parts, None).unwrap();
    // Not at a step where a validation has brought all rows up to date.
    run(&mut trainer, Some(11));
    drop(trainer);
    let mut trainer = Trainer::resume(recipe(30), &samples, &parts).unwrap();
    assert_eq!(trainer.step(), 11);
    run(&mut trainer, None);
    let matrices = |folder: &Path| {
        let bytes = std::fs::read(folder.join("checkpoints/step-00000030.safetensors")).unwrap();
        let mut matrices = Container::from_bytes(&bytes, "checkpoint", "tabiya-checkpoint").unwrap().matrices;
        matrices.sort_by(|a, b| a.name.cmp(&b.name));
        matrices
    };
    assert!(matrices(&whole) == matrices(&parts));
    let network = |folder: &Path| network::Weights::read(&folder.join("network.tabiya")).unwrap().values();
    assert!(network(&whole) == network(&parts));
    assert!(std::fs::read_to_string(whole.join("curves.svg")).unwrap().contains("policy"));
}

#[test]
fn threads_change_no_weight() {
    let folder = tempfile::tempdir().unwrap();
    let samples = Synthetic::new(&tiny_sparse_spec(), 150, 40);
    for clip_norm in [0.0, 0.5] {
        let found = [1, 2, 5].map(|threads| {
            let place = folder.path().join(format!("{threads}-{clip_norm}"));
            let mut recipe = recipe(12);
            (recipe.training.threads, recipe.optimiser.clip_norm) = (threads, clip_norm);
            run(&mut Trainer::start(recipe, &samples, &place, None).unwrap(), None);
            network::Weights::read(&place.join("network.tabiya")).unwrap().values()
        });
        assert!(found[0] == found[1] && found[0] == found[2], "clip_norm {clip_norm}");
    }
}
