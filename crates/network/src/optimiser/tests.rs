//! AdamW and the weights' average against a slow version in plain Rust.

use super::*;
use crate::{architecture::Architecture, initialisation::initial_parameters, synthetic::tiny_spec};

/// Learning rate of the test.
const RATE: f64 = 0.1;

/// The formulas of AdamW for one number, with its average.
#[derive(Clone, Copy, Default)]
struct Slow {
    first: f64,
    second: f64,
    average: f64,
    value: f64,
}

impl Slow {
    fn step(&mut self, config: &OptimiserConfig, step: i32, gradient: f64, decays: bool) {
        let [beta1, beta2] = [config.beta1, config.beta2].map(f64::from);
        self.first = beta1 * self.first + (1.0 - beta1) * gradient;
        self.second = beta2 * self.second + (1.0 - beta2) * gradient * gradient;
        let first = self.first / (1.0 - beta1.powi(step));
        let second = self.second / (1.0 - beta2.powi(step));
        let decay = if decays { f64::from(config.weight_decay) * self.value } else { 0.0 };
        self.value -= RATE * (first / (second.sqrt() + f64::from(config.epsilon)) + decay);
        let keep = f64::from(config.average_decay).min((1.0 + f64::from(step)) / (10.0 + f64::from(step)));
        self.average = keep * self.average + (1.0 - keep) * self.value;
    }
}

#[test]
fn steps_equal_the_formulas_and_decay_only_weights() {
    let config = OptimiserConfig { weight_decay: 0.5, average_decay: 0.3, ..OptimiserConfig::default() };
    let architecture = Architecture::new(&tiny_spec()).unwrap();
    let mut parameters = initial_parameters(&architecture, 3).unwrap();
    let mut state = OptimiserState::new(&parameters, config);
    let mut slow: Vec<Vec<Slow>> = parameters
        .iter()
        .map(|values| {
            let start = |value: &f32| {
                let value = f64::from(*value);
                Slow { value, average: value, ..Slow::default() }
            };
            values.iter().map(start).collect()
        })
        .collect();
    for step in 1..=4 {
        let gradient = |value: &f32| value * 0.5 + step as f32;
        let gradients: Values =
            parameters.iter().map(|values| values.iter().map(gradient).collect()).collect();
        for (index, gradient) in gradients.iter().enumerate() {
            let decays = matches!(architecture.parameters[index].role, Role::Weight { .. });
            for (slow, gradient) in slow[index].iter_mut().zip(gradient) {
                slow.step(&config, step, f64::from(*gradient), decays);
            }
        }
        state.step(&architecture, &mut parameters, &gradients, RATE as f32);
    }
    for (index, slow) in slow.iter().enumerate() {
        let fast = parameters[index].iter().zip(&state.average[index]);
        for ((&value, &average), slow) in fast.zip(slow) {
            assert!((f64::from(value) - slow.value).abs() < 1e-4, "{value} against {}", slow.value);
            assert!((f64::from(average) - slow.average).abs() < 1e-4, "{average} against {}", slow.average);
        }
    }
    assert_eq!(state.steps, 4);
}

#[test]
fn long_gradients_are_shortened_and_short_ones_left() {
    let gradients = vec![vec![3.0, 0.0], vec![4.0]];
    assert_eq!(norm(&gradients), 5.0);
    let clipped = |limit| {
        let mut gradients = gradients.clone();
        clip(&mut gradients, 5.0, limit);
        gradients
    };
    let short = clipped(1.0);
    assert!((short[0][0] - 0.6).abs() < 1e-6 && (short[1][0] - 0.8).abs() < 1e-6);
    assert_eq!(clipped(6.0), gradients);
    assert_eq!(clipped(0.0), gradients);
}

#[test]
fn the_average_forgets_the_random_start_quickly() {
    assert!(average_decay(0.999, 1) < 0.2);
    assert!((average_decay(0.999, 100) - 101.0 / 110.0).abs() < 1e-6);
    assert_eq!(average_decay(0.999, 1_000_000), 0.999);
    assert_eq!(average_decay(0.0, 5), 0.0);
}
