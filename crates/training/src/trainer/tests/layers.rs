//! Log lines about each layer and about the machine.

use std::collections::BTreeMap;

use network::synthetic::tiny_sparse_spec;

use super::*;
use crate::{LayerNorms, learner::StepDetails};

type Line = (u64, f32, BTreeMap<String, LayerNorms>);

fn lines(folder: &Path) -> Vec<Line> {
    let of = |line| match line {
        LogLine::Step { step, gradient_norm, layers, .. } => Some((step, gradient_norm, layers)),
        LogLine::Validation { .. } => None,
    };
    read_log(&folder.join("log.jsonl")).unwrap().into_iter().filter_map(of).collect()
}

#[test]
fn one_in_ten_lines_has_the_lengths_of_every_layer_also_after_an_interruption() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    run(&mut Trainer::start(recipe(20), &samples, &whole, None).unwrap(), None);
    let found = lines(&whole);
    let with: Vec<u64> =
        found.iter().filter(|(_, _, layers)| !layers.is_empty()).map(|(step, ..)| *step).collect();
    assert_eq!((found.len(), with), (20, vec![1, 10, 20]));
    for (step, gradient_norm, layers) in found.iter().filter(|(_, _, layers)| !layers.is_empty()) {
        let squares: f32 = layers.values().map(|norms| norms.gradient * norms.gradient).sum();
        assert!((squares.sqrt() - gradient_norm).abs() < 1e-4 * gradient_norm, "step {step}");
        assert!(layers.values().all(|norms| norms.update > 0.0 && norms.weights > 0.0), "{layers:?}");
    }
    run(&mut Trainer::start(recipe(20), &samples, &parts, None).unwrap(), Some(13));
    run(&mut Trainer::resume(recipe(20), &samples, &parts).unwrap(), None);
    assert_eq!(lines(&parts), found);
}

#[test]
#[cfg(target_os = "linux")]
fn every_line_has_the_memory_of_the_process() {
    let samples = Synthetic::new(&tiny_spec(), 40, 40);
    let folder = tempfile::tempdir().unwrap();
    run(&mut Trainer::start(recipe(3), &samples, folder.path(), None).unwrap(), None);
    for line in read_log(&folder.path().join("log.jsonl")).unwrap() {
        if let LogLine::Step { resident_bytes, busy_cores, .. } = line {
            assert!(resident_bytes.is_some_and(|bytes| bytes > 1 << 20));
            assert!(busy_cores.is_none_or(|cores| cores >= 0.0));
        }
    }
}

/// The step of gradient descent without momentum is the learning rate times the gradient, so both norms are known.
#[test]
fn a_step_is_as_long_as_it_was_and_measuring_it_changes_nothing() {
    let optimiser = "kind = \"sgd\"\nmomentum = 0.0\nnesterov = false\nweight_decay = 0.0\nclip_norm = 0.0";
    let descent: OptimiserConfig = toml::from_str(optimiser).unwrap();
    for (spec, optimiser) in [(tiny_spec(), descent), (tiny_sparse_spec(), OptimiserConfig::default())] {
        let learner = || Learner::new(&spec, LossConfig::default(), optimiser, 1).unwrap();
        let (mut measured, mut plain) = (learner(), learner());
        for seed in 0..4 {
            let batch = synthetic::batch(&spec, &synthetic::positions(8, seed), seed);
            let layers = measured.detailed_step(&batch, 0.01, StepDetails::CostsAndLayers).unwrap().layers;
            plain.step(&batch, 0.01).unwrap();
            assert!(layers.values().any(|norms| norms.update > 0.0));
            if spec == tiny_spec() {
                for (layer, norms) in layers {
                    // The difference has the rounding of the values themselves.
                    let error = (norms.update - 0.01 * norms.gradient).abs();
                    assert!(error < 1e-3 * norms.update + 1e-6, "{layer}: {norms:?}");
                }
            }
        }
        assert!(measured.network.averaged() == plain.network.averaged());
    }
}
