//! Optimisers with gradient clipping, and the exponential moving average of the weights.

mod config;
mod dead_units;
mod muon;

use network::{architecture::Architecture, parameter::ParameterShape, passes::Parameters};
use rayon::prelude::*;

pub use {
    config::{OptimiserConfig, OptimiserKind},
    dead_units::DeadUnits,
};

/// The parts of a parameter in a checkpoint, as prefixes of its name: values, averages of the gradient, of the squared gradient
/// and of the values.
pub(crate) const PARTS: [&str; 4] = ["parameters", "first", "second", "average"];

/// The moving averages that the optimiser keeps from step to step, including that of the weights.
#[derive(Clone, Debug)]
pub(crate) struct OptimiserState {
    pub(crate) config: OptimiserConfig,
    pub(crate) steps: u64,
    /// Moving average of the gradient of each parameter, or its velocity.
    pub(crate) first: Parameters,
    /// Moving average of the squared gradient of each parameter; zero if the optimiser does not use it.
    pub(crate) second: Parameters,
    /// Moving average of each parameter; empty if the parameters themselves are exported.
    average: Parameters,
}

impl OptimiserState {
    /// The state before the first step.
    pub(crate) fn new(parameters: &Parameters, config: OptimiserConfig) -> Self {
        let zeros: Parameters = parameters.iter().map(|values| vec![0.0; values.len()]).collect();
        let mut state =
            Self { config, steps: 0, first: zeros.clone(), second: zeros, average: Parameters::new() };
        state.set_average(parameters.clone());
        state
    }

    pub(crate) fn averaged<'a>(&'a self, parameters: &'a Parameters) -> &'a Parameters {
        if self.config.average_decay == 0.0 { parameters } else { &self.average }
    }

    pub(crate) fn set_average(&mut self, average: Parameters) {
        self.average = average;
        if self.config.average_decay == 0.0 {
            self.average.fill(Vec::new());
        }
    }

    /// Updates the parameters with their gradients.
    pub(crate) fn step(
        &mut self,
        architecture: &Architecture,
        parameters: &mut Parameters,
        gradients: &Parameters,
        learning_rate: f32,
    ) {
        self.steps += 1;
        let steps = self.steps as f64;
        let correction = |beta: f32| (1.0 - f64::from(beta).powf(steps)) as f32;
        let config = self.config;
        let step = Step {
            corrections: [correction(config.beta1), correction(config.beta2)],
            average_decay: average_decay(config.average_decay, self.steps),
            learning_rate,
            config,
        };
        let averages = self.first.par_iter_mut().zip(&mut self.second).zip(&mut self.average);
        let shapes = architecture.parameters().par_iter().enumerate();
        parameters.par_iter_mut().zip(gradients).zip(averages).zip(shapes).for_each(
            |(((parameter, gradient), ((first, second), average)), (number, shape))| {
                if config.kind == OptimiserKind::Muon && shape.is_hidden() {
                    let rate = learning_rate * config.relative_rate(architecture.is_normalised(number));
                    step.apply_muon(Whole { shape, rate, parameter, velocity: first, average }, gradient);
                    return;
                }
                let decay = if shape.is_weight() { config.weight_decay } else { 0.0 };
                for from in (0..parameter.len()).step_by(PIECE) {
                    let piece = from..parameter.len().min(from + PIECE);
                    let numbers = Numbers {
                        parameter: &mut parameter[piece.clone()],
                        first: &mut first[piece.clone()],
                        second: &mut second[piece.clone()],
                        gradient: &gradient[piece.clone()],
                    };
                    step.apply_all(numbers, decay);
                    if let Some(average) = average.get_mut(piece.clone()) {
                        step.average(average, &parameter[piece]);
                    }
                }
            },
        );
    }
}

/// Number of values that are updated and then averaged while they are in the cache.
const PIECE: usize = 1 << 12;

/// Settings shared by all parameters in a step.
#[derive(Clone, Copy)]
struct Step {
    config: OptimiserConfig,
    /// Bias corrections of the averages of gradient and squared gradient, which start at zero: the divisors
    /// `1 - beta^steps`.
    corrections: [f32; 2],
    average_decay: f32,
    learning_rate: f32,
}

/// A slice of trained parameters, with their averages.
struct Numbers<'a> {
    parameter: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    gradient: &'a [f32],
}

impl Numbers<'_> {
    /// Sets each parameter to the result of `next` for the parameter, its averages and its gradient.
    #[inline]
    fn each(self, next: impl Fn(f32, [&mut f32; 2], f32) -> f32) {
        // All slices are cut to one length where the compiler can see it, so that it vectorises the loop: three times
        // as fast.
        let count = self.parameter.len();
        let (parameter, gradient) = (&mut self.parameter[..count], &self.gradient[..count]);
        let (first, second) = (&mut self.first[..count], &mut self.second[..count]);
        for index in 0..count {
            let averages = [&mut first[index], &mut second[index]];
            parameter[index] = next(parameter[index], averages, gradient[index]);
        }
    }
}

/// One trained matrix and its averages.
struct Whole<'a> {
    shape: &'a ParameterShape,
    /// The learning rate of the step.
    rate: f32,
    parameter: &'a mut [f32],
    velocity: &'a mut [f32],
    average: &'a mut [f32],
}

impl Step {
    /// Updates values with the optimiser's formula, in a separate loop for each kind, so that none reads data it does
    /// not need.
    fn apply_all(self, numbers: Numbers<'_>, decay: f32) {
        let rate = self.learning_rate;
        match self.config.kind {
            OptimiserKind::AdamW | OptimiserKind::Muon => {
                numbers.each(|parameter, [first, second], gradient| {
                    parameter * (1.0 - rate * decay) - rate * self.adam_direction(first, second, gradient)
                });
            }
            OptimiserKind::Adam => numbers.each(|parameter, [first, second], gradient| {
                parameter - rate * self.adam_direction(first, second, gradient + decay * parameter)
            }),
            OptimiserKind::Sgd => numbers.each(|parameter, [first, _], gradient| {
                let gradient = gradient + decay * parameter;
                parameter - rate * self.config.momentum_direction(first, gradient)
            }),
        }
    }

    /// Moves averaged weights towards the parameters.
    fn average(self, average: &mut [f32], parameter: &[f32]) {
        for (average, parameter) in average.iter_mut().zip(parameter) {
            *average = blend(*average, *parameter, self.average_decay);
        }
    }

    fn apply_muon(&self, matrix: Whole<'_>, gradient: &[f32]) {
        let Whole { shape, rate, parameter, velocity, average } = matrix;
        let direction =
            |(velocity, gradient): (&mut f32, &f32)| self.config.momentum_direction(velocity, *gradient);
        let directions: Vec<f32> = velocity.iter_mut().zip(gradient).map(direction).collect();
        let directions = muon::orthogonalised(&directions, shape);
        let kept = 1.0 - rate * self.config.weight_decay;
        let rate = rate * muon::scale(shape);
        for (parameter, direction) in parameter.iter_mut().zip(&directions) {
            *parameter = *parameter * kept - rate * direction;
        }
        self.average(average, parameter);
    }

    /// The averaged gradient divided by the square root of the averaged square, both with bias correction.
    #[inline]
    fn adam_direction(&self, first: &mut f32, second: &mut f32, gradient: f32) -> f32 {
        let Self { config, corrections, .. } = self;
        *first = flushed(blend(*first, gradient, config.beta1));
        *second = flushed(blend(*second, gradient * gradient, config.beta2));
        let root = (*second / corrections[1]).sqrt() + config.epsilon;
        *first / corrections[0] / root
    }
}

/// The decay of the weights' average at a step: smaller at first, so that the random start is soon forgotten, as in
/// TensorFlow's `ExponentialMovingAverage` with `num_updates`.
pub(crate) fn average_decay(decay: f32, step: u64) -> f32 {
    let step = step as f32;
    decay.min((1.0 + step) / (10.0 + step))
}

/// `old * decay + new * (1 - decay)`.
fn blend(old: f32, new: f32, decay: f32) -> f32 {
    old * decay + new * (1.0 - decay)
}

/// Flushes numbers to zero near the smallest that processors compute with at full speed: the averages of parameters that no
/// longer receive a gradient decay forever.
fn flushed(value: f32) -> f32 {
    if value.abs() < 1e-36 { 0.0 } else { value }
}

/// The sum of squares, with several independent sums: each addition to a single sum would wait for the previous one.
pub(crate) fn squares(values: &[f32]) -> f64 {
    /// Chosen, not tuned: sixteen sums of 64 bits fill two AVX-512 registers, or four of AVX2.
    const SUMS: usize = 16;
    let mut sums = [0.0; SUMS];
    for chunk in values.chunks(SUMS) {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += f64::from(value * value);
        }
    }
    sums.iter().sum()
}

/// Scales the gradients down to the norm `limit` if they are longer; `limit` 0 leaves them unchanged.
pub(crate) fn clip(gradients: &mut Parameters, norm: f32, limit: f32) {
    if limit > 0.0 && norm > limit {
        gradients.iter_mut().flatten().for_each(|value| *value *= limit / norm);
    }
}

#[cfg(test)]
mod tests;
