//! Overfitting of small networks to a few samples, and the weights and counts of losses.

use dataset::{BuildConfig, Filters, LoaderState, NoObserver, Split, build, source::PositionRules};

use super::{
    Batch, HashSet, HeldOut, Learner, LogLine, LossConfig, OptimiserConfig, Spec, Stopper, Trainer,
    Validation, read_log, recipe, synthetic, tiny_spec,
};
use crate::{Samples as _, StepReport, StoreSamples, StreamRequest, first_batches, synthetic::Synthetic};

/// The original problem: equal weights for a policy loss of about 3 and a value loss of a thirtieth of that, and only
/// their sum was shown.
#[test]
fn s3_k5_losses_are_reported_apart_and_weighed_as_the_recipe_says() {
    let spec = tiny_spec();
    let batch = synthetic::batch(&spec, &synthetic::positions(64, 7), 7);
    let trained = |value_weight: f32| -> (StepReport, StepReport) {
        let losses = LossConfig { policy_weight: 0.5, value_weight, ..LossConfig::default() };
        let mut learner = Learner::new(&spec, losses, OptimiserConfig::default(), 1).unwrap();
        let reports: Vec<StepReport> = (0..100).map(|_| learner.step(&batch, 0.01).unwrap()).collect();
        (reports[0], reports[99])
    };
    let ((first, without), (heavy, with)) = (trained(0.0), trained(4.0));
    assert_eq!((first.policy_loss, first.value_loss), (heavy.policy_loss, heavy.value_loss), "same weights");
    assert!((first.total_loss - 0.5 * first.policy_loss).abs() < 1e-5, "{first:?}");
    assert!((heavy.total_loss - 0.5 * heavy.policy_loss - 4.0 * heavy.value_loss).abs() < 1e-4, "{heavy:?}");
    assert!(with.value_loss < without.value_loss - 0.02, "{with:?} {without:?}");
}

/// The original problem: the loss was taken from one training batch in a hundred.
#[test]
fn s4_k5_every_batch_is_logged_and_every_held_out_position_judges() {
    let samples = Synthetic::new(&tiny_spec(), 48, 40);
    let folder = tempfile::tempdir().unwrap();
    let mut observer = Stopper::default();
    let signal = observer.signal.clone();
    let mut trainer = Trainer::start(recipe(6), &samples, folder.path(), None).unwrap();
    trainer.run(&mut observer, &signal).unwrap();
    let logged = read_log(&folder.path().join("log.jsonl")).unwrap();
    assert_eq!(logged.iter().filter(|line| matches!(line, LogLine::Step { .. })).count(), 6);
    assert_eq!(observer.validations.len(), 3, "after every second step");
    for (step, found) in &observer.validations {
        assert_eq!(found.overall.positions, samples.positions(Split::Validation), "step {step}");
    }
}

/// The first rows of the evaluations that AIChess publishes as an example.
fn rows(count: u64, folder: &std::path::Path, spec: &Spec) -> Vec<Batch> {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    let file = std::path::PathBuf::from(data).join("seeds/aichess-example-evals.parquet");
    let config = BuildConfig {
        validation_share: 0.0,
        rules: PositionRules::Repaired,
        filters: Filters { max_positions: Some(count), ..Filters::default() },
        ..BuildConfig::new(folder.join("store"), [file])
    };
    build(&config, &mut NoObserver).unwrap();
    let samples = StoreSamples::open(&folder.join("store"), spec).unwrap();
    let start = LoaderState::default();
    let request = StreamRequest {
        split: Split::Train,
        batch_size: 125,
        seed: 1,
        shuffle_window: 1000,
        threads: 1,
        start,
    };
    first_batches(&samples, request, count as usize).unwrap()
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_a_network_learns_a_thousand_evaluated_positions_by_heart() {
    let spec = Spec::from_toml("blocks = 2\nchannels = 32\nvalue = { channels = 4, hidden = 16 }").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let batches = rows(1000, folder.path(), &spec);
    let optimiser = OptimiserConfig { weight_decay: 0.0, average_decay: 0.0, ..OptimiserConfig::default() };
    let losses = LossConfig::default();
    let mut learner = Learner::new(&spec, losses, optimiser, 1).unwrap();
    let held_out = HeldOut { batches, trained: HashSet::new() };
    let architecture = learner.architecture.clone();
    let mut found = Vec::new();
    for passes in 1..=120 {
        for batch in &held_out.batches {
            learner.step(batch, 0.01).unwrap();
        }
        if passes % 10 > 0 {
            continue;
        }
        let statistics = learner.measure_statistics(&held_out.batches).unwrap();
        let average = learner.network.averaged();
        let forward = |batch: &Batch| learner.forward(&average, &statistics, batch);
        let overall = Validation::measure(&architecture, forward, &held_out, &losses).unwrap().overall;
        assert_eq!(overall.positions, 1000);
        found.push((passes, overall.top1));
        if overall.top1 > 0.95 {
            return;
        }
    }
    panic!("expected top-1 above 0.95 of 1,000 positions; found, by passes over them, {found:?}");
}
