//! The activation ranges that a run exports for int8 inference.

use chess::Evaluator as _;
use network::{Activation, CpuNetwork, CpuOptions, Isa, Precision, Spec, Weights, synthetic::tiny_spec};

use super::{recipe, run};
use crate::{Recipe, Trainer, synthetic::Synthetic};

fn exported(recipe: Recipe, samples: &Synthetic) -> Weights {
    let folder = tempfile::tempdir().unwrap();
    run(&mut Trainer::start(recipe, samples, folder.path(), None).unwrap(), None);
    Weights::read(&folder.path().join("network.tabiya")).unwrap()
}

#[test]
fn a_trained_network_is_calibrated_on_training_samples() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let weights = exported(recipe(4), &samples);
    let ranges = weights.calibration.as_ref().unwrap();
    assert_eq!(
        (ranges.positions, ranges.data.as_str()),
        (32, "synthetic-40-40"),
        "all that statistics are measured on"
    );
    assert_eq!(ranges.ranges.len(), weights.plan().unwrap().tensors().len());
    assert!(ranges.ranges.values().all(|range| *range > 0.0), "{ranges:?}");
    let options = CpuOptions { isa: Some(Isa::Portable), precision: Some(Precision::Int8) };
    assert!(CpuNetwork::from_weights(&weights, options).unwrap().describe().contains("int8"));
}

#[test]
fn a_network_that_is_not_a_tower_stays_in_floats() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let mut bounded = recipe(2);
    let Spec::Planes(network) = &mut bounded.network else { panic!("planes") };
    network.activation = Activation::Tanh;
    assert_eq!(exported(bounded, &samples).calibration, None);
}
