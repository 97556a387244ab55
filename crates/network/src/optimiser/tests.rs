//! Compares optimisers and the weights' average with a slow version in plain Rust.

use crate::{architecture::Architecture, parameter::Role, synthetic::tiny_spec};

use super::*;

/// Learning rate of the test.
const RATE: f64 = 0.1;

/// The formulas of each optimiser for a single parameter, with its average.
#[derive(Clone, Copy, Default)]
struct Slow {
    first: f64,
    second: f64,
    average: f64,
    value: f64,
}

impl Slow {
    fn step(&mut self, config: &OptimiserConfig, step: i32, gradient: f64, decays: bool) {
        let decay = if decays { f64::from(config.weight_decay) * self.value } else { 0.0 };
        let direction = match config.kind {
            OptimiserKind::AdamW => self.adam(config, step, gradient) + decay,
            OptimiserKind::Adam => self.adam(config, step, gradient + decay),
            OptimiserKind::Sgd => {
                let (momentum, gradient) = (f64::from(config.momentum.unwrap()), gradient + decay);
                self.first = momentum * self.first + gradient;
                if config.nesterov.unwrap() { gradient + momentum * self.first } else { self.first }
            }
            OptimiserKind::Muon => unreachable!("moves matrices"),
        };
        self.value -= RATE * direction;
        let keep = f64::from(config.average_decay).min((1.0 + f64::from(step)) / (10.0 + f64::from(step)));
        self.average = keep * self.average + (1.0 - keep) * self.value;
    }

    fn adam(&mut self, config: &OptimiserConfig, step: i32, gradient: f64) -> f64 {
        let [beta1, beta2] = [config.beta1, config.beta2].map(f64::from);
        self.first = beta1 * self.first + (1.0 - beta1) * gradient;
        self.second = beta2 * self.second + (1.0 - beta2) * gradient * gradient;
        let first = self.first / (1.0 - beta1.powi(step));
        let second = self.second / (1.0 - beta2.powi(step));
        first / (second.sqrt() + f64::from(config.epsilon))
    }
}

#[test]
fn steps_equal_the_formulas_and_decay_only_weights() {
    let usual = OptimiserConfig { weight_decay: 0.5, average_decay: 0.3, ..OptimiserConfig::default() };
    let sgd = |nesterov| OptimiserConfig {
        kind: OptimiserKind::Sgd,
        momentum: Some(0.8),
        nesterov: Some(nesterov),
        ..usual
    };
    let weights_alone = OptimiserConfig { average_decay: 0.0, ..usual };
    let adam = OptimiserConfig { kind: OptimiserKind::Adam, ..usual };
    for config in [usual, weights_alone, adam, sgd(false), sgd(true)] {
        check(config);
    }
}

fn check(config: OptimiserConfig) {
    let architecture = Architecture::new(&tiny_spec()).unwrap();
    let mut parameters = architecture.initial_parameters(3).unwrap();
    let mut state = OptimiserState::new(&parameters, config).unwrap();
    let start = |value: &f32| {
        let value = f64::from(*value);
        Slow { value, average: value, ..Slow::default() }
    };
    let mut slow: Vec<Vec<Slow>> =
        parameters.iter().map(|values| values.iter().map(start).collect()).collect();
    for step in 1..=4 {
        let gradient = |value: &f32| value * 0.5 + step as f32;
        let gradients: Parameters =
            parameters.iter().map(|values| values.iter().map(gradient).collect()).collect();
        for (index, gradient) in gradients.iter().enumerate() {
            let decays = architecture.parameters()[index].is_weight();
            for (slow, gradient) in slow[index].iter_mut().zip(gradient) {
                slow.step(&config, step, f64::from(*gradient), decays);
            }
        }
        state.step(architecture.parameters(), &mut parameters, &gradients, RATE as f32);
    }
    for (index, slow) in slow.iter().enumerate() {
        let fast = parameters[index].iter().zip(&state.averaged(&parameters)[index]);
        for ((&value, &average), slow) in fast.zip(slow) {
            assert!((f64::from(value) - slow.value).abs() < 1e-4, "{config:?}: {value} and {}", slow.value);
            assert!(
                (f64::from(average) - slow.average).abs() < 1e-4,
                "{config:?}: {average} and {}",
                slow.average
            );
        }
    }
    assert_eq!(state.steps, 4);
}

#[test]
fn muon_moves_hidden_matrices_as_a_whole_and_the_rest_by_adamw() {
    let architecture = Architecture::new(&tiny_spec()).unwrap();
    let start = architecture.initial_parameters(3).unwrap();
    let config = |kind| {
        let normalised_rate = (kind == OptimiserKind::Muon).then_some(3.0);
        OptimiserConfig { kind, normalised_rate, weight_decay: 0.5, ..OptimiserConfig::default() }
    };
    let step = |kind| {
        let mut parameters = start.clone();
        let gradients: Parameters =
            start.iter().map(|values| values.iter().map(|value| value * 0.5 + 1.0).collect()).collect();
        let mut state = OptimiserState::new(&parameters, config(kind)).unwrap();
        state.step(architecture.parameters(), &mut parameters, &gradients, RATE as f32);
        (parameters, gradients)
    };
    let (muon, gradients) = step(OptimiserKind::Muon);
    let (adam, _) = step(OptimiserKind::AdamW);
    let (mut hidden, mut normalised) = (0, 0);
    for (index, shape) in architecture.parameters().iter().enumerate() {
        if !shape.is_hidden() {
            assert_eq!(muon[index], adam[index], "{}", shape.name);
            continue;
        }
        hidden += 1;
        // Velocity and look-ahead give 1.95 times the first gradient, whose norm does not matter.
        let direction = muon::orthogonalised(&gradients[index], shape);
        let rate = RATE as f32 * if is_normalised(architecture.parameters(), index) { 3.0 } else { 1.0 };
        normalised += usize::from(is_normalised(architecture.parameters(), index));
        for ((value, start), direction) in muon[index].iter().zip(&start[index]).zip(direction) {
            let expected = start * (1.0 - rate * 0.5) - rate * muon::scale(shape) * direction;
            assert!((value - expected).abs() < 1e-4, "{}: {value} and {expected}", shape.name);
        }
    }
    assert!(normalised > 1 && hidden > normalised, "{hidden} hidden matrices, {normalised} normalised");
}

#[test]
fn units_without_a_gradient_are_counted_by_layer() {
    let architecture = Architecture::new(&tiny_spec()).unwrap();
    let mut parameters = architecture.initial_parameters(3).unwrap();
    let mut state = OptimiserState::new(&parameters, OptimiserConfig::default()).unwrap();
    assert_eq!(state.dead_units(architecture.parameters()), [], "nothing is known before the first step");
    let hidden = |shape: &&ParameterShape| shape.name == "value.hidden.weight";
    let index = architecture.parameters().iter().position(|shape| hidden(&shape)).unwrap();
    let columns = architecture.parameters()[index].columns;
    let mut gradients: Parameters = parameters.iter().map(|values| vec![1.0; values.len()]).collect();
    state.step(architecture.parameters(), &mut parameters, &gradients, 1e-3);
    gradients[index].chunks_exact_mut(columns).for_each(|row| row[1] = 0.0);
    for _ in 0..100 {
        state.step(architecture.parameters(), &mut parameters, &gradients, 1e-3);
    }
    assert_eq!(
        state.dead_units(architecture.parameters()),
        [],
        "one hundred steps without a gradient may be chance"
    );
    for _ in 0..1000 {
        state.step(architecture.parameters(), &mut parameters, &gradients, 1e-3);
    }
    let expected = DeadUnits { layer: "value.hidden".into(), dead: 1, units: columns };
    assert_eq!(serde_json::to_value(&expected).unwrap()["idle"], 1, "logs have the name of before");
    assert_eq!(state.dead_units(architecture.parameters()), [expected]);
    assert_eq!(state.first[index][1], 0.0, "no number stays so small that it is slow to compute with");
    gradients[index].fill(0.0);
    for _ in 0..1000 {
        state.step(architecture.parameters(), &mut parameters, &gradients, 1e-3);
    }
    let all = DeadUnits { layer: "value.hidden".into(), dead: columns, units: columns };
    assert_eq!(state.dead_units(architecture.parameters()), [all], "a layer without any gradient");
}

#[test]
fn numbers_of_another_optimiser_are_refused() {
    let refused = |text: &str| {
        toml::from_str::<OptimiserConfig>(text).unwrap().check("my.toml").unwrap_err().to_string()
    };
    for (text, expected) in [
        (
            "momentum = 0.9",
            "my.toml: optimiser.momentum = 0.9: expected nothing where optimiser.kind has no velocity",
        ),
        (
            "kind = \"adam\"\nnesterov = true",
            "my.toml: optimiser.nesterov = true: expected nothing where optimiser.kind has no velocity",
        ),
        (
            "kind = \"sgd\"\nbeta1 = 0.5",
            "my.toml: optimiser.beta1 = 0.5: expected nothing where optimiser.kind is sgd",
        ),
        (
            "normalised_rate = 2.0",
            "my.toml: optimiser.normalised_rate = 2: expected nothing where optimiser.kind is not muon",
        ),
        ("kind = \"sgd\"\nmomentum = 1.0", "my.toml: optimiser.momentum = 1: expected 0 to 0.999999"),
    ] {
        assert_eq!(refused(text), expected);
    }
    let message = toml::from_str::<OptimiserConfig>("kind = \"rmsprop\"").unwrap_err().to_string();
    assert!(message.contains("`adamw`, `adam`, `sgd`, `muon`"), "{message}");
}

/// A parameter that is longer than a piece moves value by value like a short one, and all of its gradient is squared.
#[test]
fn long_parameters_are_updated_in_pieces() {
    let length = 2 * PIECE + 5;
    let number = |place: usize| (place % 17) as f32 - 8.0;
    for kind in [OptimiserKind::AdamW, OptimiserKind::Sgd] {
        let momentum = (kind == OptimiserKind::Sgd).then_some(0.9);
        let config = OptimiserConfig { kind, momentum, weight_decay: 0.5, ..OptimiserConfig::default() };
        let step = |length: usize| {
            let role = Role::Uniform(1.0);
            let shapes = [ParameterShape { name: "dense.weight".into(), role, rows: 1, columns: length }];
            let mut parameters = vec![(0..length).map(number).collect::<Vec<f32>>()];
            let gradients = vec![(0..length).map(|place| number(place + 3)).collect::<Vec<f32>>()];
            let mut state = OptimiserState::new(&parameters, config).unwrap();
            for _ in 0..2 {
                state.step(&shapes, &mut parameters, &gradients, RATE as f32);
            }
            let average = state.averaged(&parameters)[0].clone();
            (parameters.remove(0), average, gradient_squares(&gradients)[0])
        };
        let [long, short] = [length, 17].map(step);
        for place in 0..length {
            assert_eq!(long.0[place], short.0[place % 17], "{kind:?}, {place}");
            assert_eq!(long.1[place], short.1[place % 17], "{kind:?}, average of {place}");
        }
        // Small integers, so that the sums are exact.
        let expected: f64 = (0..length).map(|place| f64::from(number(place + 3)).powi(2)).sum();
        assert_eq!(long.2, expected);
    }
}

#[test]
fn long_gradients_are_shortened_and_short_ones_left() {
    let gradients = vec![vec![3.0, 0.0], vec![4.0]];
    // Lengths that are not multiples of any block size: every value counts once.
    assert_eq!(squares(&[1.0; 37]) + squares(&[2.0; 33]), 169.0);
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
