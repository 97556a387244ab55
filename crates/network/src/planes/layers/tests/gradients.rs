//! Compares the gradient of every parameter of every kind of layer with finite differences.

use super::{SPECS, exact, kernels};
use crate::{
    Spec,
    architecture::PlaneArchitecture,
    passes::{HeadOutputs, Objective as _, OutputGradients, tests::Squares},
    planes::layers::tests::plain::{PlainMode, PlainOutputs, forward},
    planes::passes::slots,
    synthetic,
    weights::layers_tests::random_weights,
};

/// Number of elements checked per parameter.
const SAMPLES: usize = 5;

/// Half the distance between the two points of a finite difference: small enough that a kink of a ReLU rarely lies in
/// between.
const STEP: f64 = 1e-6;

const NOISE: u64 = 11;

/// The first-order change of the loss when the outputs change from `before` to `after`.
fn change(gradients: &OutputGradients, before: &PlainOutputs, after: &PlainOutputs) -> f64 {
    let heads =
        [(&gradients.policy, &before.policy, &after.policy), (&gradients.value, &before.value, &after.value)];
    let term = |((gradient, before), after): ((&f32, &f64), &f64)| f64::from(*gradient) * (after - before);
    heads
        .into_iter()
        .map(|(gradient, before, after)| gradient.iter().zip(before).zip(after).map(term).sum::<f64>())
        .sum()
}

#[test]
fn gradients_agree_with_finite_differences() {
    for text in SPECS {
        let spec = Spec::from_toml(text).unwrap();
        let architecture = PlaneArchitecture::new(spec.planes().unwrap()).unwrap();
        let (parameters, _) = random_weights(spec.clone(), 5).values();
        let batch = synthetic::batch(&spec, &synthetic::positions(6, 3), 3);
        let mut exact = exact(&parameters);
        let run = |parameters: &[Vec<f64>]| {
            let mode = PlainMode::Training { noise: Some(NOISE) };
            forward(&architecture.list, parameters, mode, &batch.planes)
        };
        let outputs = run(&exact);
        let rounded = |values: &[f64]| -> Vec<f32> { values.iter().map(|value| *value as f32).collect() };
        let (policy, value) = (rounded(&outputs.policy), rounded(&outputs.value));
        let slots = slots(&batch, &architecture.policy_map).unwrap();
        let outputs_of_heads = HeadOutputs { policy: &policy, value: &value, batch: &batch, slots: &slots };
        let of_outputs = Squares.gradients(&architecture, outputs_of_heads);
        let found = kernels(&architecture).gradients(&parameters, &batch, &Squares, NOISE).unwrap();
        assert!((of_outputs.value_loss - found.value_loss).abs() < 1e-4, "{text}");
        assert!((of_outputs.policy_loss - found.policy_loss).abs() < 1e-4, "{text}");
        for (number, shape) in architecture.list.parameters.iter().enumerate() {
            if shape.name.starts_with("moves_left") {
                continue;
            }
            let count = exact[number].len();
            let slopes =
                (0..SAMPLES.min(count)).map(|sample| sample * count / SAMPLES.min(count)).map(|place| {
                    let middle = exact[number][place];
                    let mut at = |value: f64| {
                        exact[number][place] = value;
                        let outputs = run(&exact);
                        exact[number][place] = middle;
                        outputs
                    };
                    let [before, after] = [at(middle - STEP), at(middle + STEP)];
                    (place, change(&of_outputs, &before, &after) / (2.0 * STEP))
                });
            let slopes: Vec<(usize, f64)> = slopes.collect();
            check_gradient(&found.gradients[number], &slopes, &format!("{text}\n{}", shape.name));
        }
    }
}

/// Asserts that a parameter's gradient has these slopes at some indices.
fn check_gradient(found: &[f32], slopes: &[(usize, f64)], what: &str) {
    let largest = found.iter().fold(0.0_f32, |most, found| most.max(found.abs()));
    // A bias before a normalisation has no effect, so its gradient is only rounding error; every other parameter has an effect.
    let is_bias = what.ends_with("bias");
    let rounding = if is_bias { 1e-5 } else { 1e-6 };
    for &(place, slope) in slopes {
        let gradient = f64::from(found[place]);
        let allowed = rounding + 2e-4 * f64::from(largest) + 2e-3 * slope.abs();
        assert!((gradient - slope).abs() < allowed, "{what} {place}: {gradient}, slope {slope}");
    }
    assert!(largest > 1e-6 || is_bias, "{what} has no gradient");
}
