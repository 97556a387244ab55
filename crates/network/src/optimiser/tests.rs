//! AdamW and the weights' average against a slow version in plain Rust.

use super::*;
use crate::{
    Device, architecture::Architecture, learner::scalar, model::initial_parameters, synthetic::tiny_spec,
};

fn values(tensor: &Tensor<2>) -> Vec<f32> {
    tensor.try_to_vec_as().unwrap()
}

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
    let mut parameters = initial_parameters(&architecture, 3, &Device::cpu()).unwrap();
    let mut state = OptimiserState::new(&parameters, config);
    let mut slow: Vec<Vec<Slow>> = parameters
        .iter()
        .map(|tensor| {
            let start = |value: f32| Slow { value: value.into(), average: value.into(), ..Slow::default() };
            values(tensor).into_iter().map(start).collect()
        })
        .collect();
    for step in 1..=4 {
        let gradients: Vec<Tensor<2>> =
            parameters.iter().map(|tensor| tensor.clone().mul_scalar(0.5).add_scalar(step as f32)).collect();
        for (index, gradient) in gradients.iter().enumerate() {
            let decays = matches!(architecture.parameters[index].role, Role::Weight { .. });
            for (slow, gradient) in slow[index].iter_mut().zip(values(gradient)) {
                slow.step(&config, step, gradient.into(), decays);
            }
        }
        state.step(&architecture, &mut parameters, gradients, RATE as f32);
    }
    for (index, slow) in slow.iter().enumerate() {
        let fast = values(&parameters[index]).into_iter().zip(values(&state.average[index]));
        for ((value, average), slow) in fast.zip(slow) {
            assert!((f64::from(value) - slow.value).abs() < 1e-4, "{value} against {}", slow.value);
            assert!((f64::from(average) - slow.average).abs() < 1e-4, "{average} against {}", slow.average);
        }
    }
    assert_eq!(state.steps, 4);
}

#[test]
fn long_gradients_are_shortened_and_short_ones_left() {
    let device = Device::cpu();
    let gradients = || vec![device.matrix(vec![3.0, 0.0], [1, 2]), device.matrix(vec![4.0], [1, 1])];
    assert_eq!(scalar(norm(&gradients())).unwrap(), 5.0);
    let clipped = clip(gradients(), 5.0, 1.0);
    assert!((values(&clipped[0])[0] - 0.6).abs() < 1e-6 && (values(&clipped[1])[0] - 0.8).abs() < 1e-6);
    assert_eq!(values(&clip(gradients(), 5.0, 6.0)[0]), [3.0, 0.0]);
    assert_eq!(values(&clip(gradients(), 5.0, 0.0)[1]), [4.0]);
}

#[test]
fn the_average_forgets_the_random_start_quickly() {
    assert!(average_decay(0.999, 1) < 0.2);
    assert!((average_decay(0.999, 100) - 101.0 / 110.0).abs() < 1e-6);
    assert_eq!(average_decay(0.999, 1_000_000), 0.999);
    assert_eq!(average_decay(0.0, 5), 0.0);
}
