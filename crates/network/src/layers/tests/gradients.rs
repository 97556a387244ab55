//! The gradient of every parameter of every kind of layer against finite differences.

use super::{SPECS, exact};
use crate::{
    Spec,
    architecture::PlaneArchitecture,
    device::Device,
    layers::plain::{PlainMode, PlainOutputs, forward},
    on_burn::OnBurn,
    passes::{HeadOutputs, Objective as _, OutputGradients, Passes as _, slots, tests::Squares},
    synthetic,
    weights::layers_tests::random_weights,
};

/// Numbers of each parameter that are checked.
const SAMPLES: usize = 5;

/// Half the distance of two points that a slope is taken between; small enough that hardly any ramp begins in between.
const STEP: f64 = 1e-6;

const NOISE: u64 = 11;

/// The change of the loss when the outputs change as from `before` to `after`, to first order.
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
        let mut burn = OnBurn::new(&architecture, &Device::burn_cpu(), None);
        let found = burn.gradients(&parameters, &batch, &Squares, NOISE).unwrap();
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
        assert!((of_outputs.value_loss - found.value_loss).abs() < 1e-4, "{text}");
        assert!((of_outputs.policy_loss - found.policy_loss).abs() < 1e-4, "{text}");
        for (number, shape) in architecture.list.parameters.iter().enumerate() {
            if shape.name.starts_with("moves_left") {
                continue;
            }
            let count = exact[number].len();
            let largest = found.gradients[number].iter().fold(0.0_f32, |most, found| most.max(found.abs()));
            for place in (0..SAMPLES.min(count)).map(|sample| sample * count / SAMPLES.min(count)) {
                let middle = exact[number][place];
                let mut at = |value: f64| {
                    exact[number][place] = value;
                    let outputs = run(&exact);
                    exact[number][place] = middle;
                    outputs
                };
                let [before, after] = [at(middle - STEP), at(middle + STEP)];
                let slope = change(&of_outputs, &before, &after) / (2.0 * STEP);
                let gradient = f64::from(found.gradients[number][place]);
                let allowed = 1e-6 + 2e-4 * f64::from(largest) + 2e-3 * slope.abs();
                assert!(
                    (gradient - slope).abs() < allowed,
                    "{text}\n{} {place}: {gradient}, slope {slope}",
                    shape.name
                );
            }
            // A bias before a normalisation changes nothing; everything else has to.
            let idle = largest < 1e-6;
            let before_norm = shape.name.rsplit('.').next() == Some("bias");
            assert!(!idle || before_norm, "{text}\n{} has no gradient", shape.name);
        }
    }
}
