//! Tests that losses agree between precisions.

use network::{Isa, Precision, synthetic};

use super::*;

/// With 16-bit products, the portable kernels and those of this machine's instruction set must reach the
/// losses of 32-bit products.
#[test]
fn sixteen_bit_products_learn_alike() {
    let spec = synthetic::tiny_spec();
    let batches: Vec<Batch> =
        (0..4).map(|seed| synthetic::batch(&spec, &synthetic::positions(32, seed), seed)).collect();
    let losses = [TrainingPrecision::F32, TrainingPrecision::Bf16].map(|precision| {
        let mut learner = Learner::new(&spec, LossConfig::default(), OptimiserConfig::default(), 3)
            .unwrap()
            .with_precision(precision);
        let mut losses = Vec::new();
        for step in 0..60 {
            // An instruction set without such products refuses the precision: nothing to compare.
            let Ok(learner) = &mut learner else { return losses };
            losses.push(learner.step(&batches[step % batches.len()], 3e-3).unwrap().total_loss);
        }
        losses
    });
    let [exact, rounded] = losses;
    if rounded.is_empty() {
        assert!(!Isa::chosen().unwrap().precisions().contains(&Precision::Bf16));
        return;
    }
    assert!(exact != rounded && (exact[0] - rounded[0]).abs() < 0.02, "{exact:?} and {rounded:?}");
    let mean = |losses: &[f32]| losses[50..].iter().sum::<f32>() / 10.0;
    assert!((mean(&exact) / mean(&rounded) - 1.0).abs() < 0.05, "{exact:?} and {rounded:?}");
}

#[test]
fn what_is_no_tower_learns() {
    let spec = Spec::from_toml("blocks = 1\nchannels = 8\nactivation = \"tanh\"").unwrap();
    let mut learner = Learner::new(&spec, LossConfig::default(), OptimiserConfig::default(), 1).unwrap();
    assert!(learner.arithmetic().starts_with("kernels on "), "{}", learner.arithmetic());
    let batch = synthetic::batch(&spec, &synthetic::positions(32, 1), 1);
    let first = learner.step(&batch, 0.01).unwrap().total_loss;
    let last = (0..30).map(|_| learner.step(&batch, 0.01).unwrap().total_loss).last().unwrap();
    assert!(last < 0.7 * first, "{first} and after 30 steps {last}");
}
