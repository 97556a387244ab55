//! Optimisers with gradient clipping, and the exponential average of the weights.

use network::{NetworkError, architecture::Architecture, invalid, passes::Values};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How gradients become steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimiserKind {
    /// AdamW (Loshchilov and Hutter, arXiv 1711.05101): weights shrink apart from the gradient.
    #[default]
    AdamW,
    /// Adam (Kingma and Ba, arXiv 1412.6980) with L2 regularisation: `weight_decay * weight` is added to the gradient.
    Adam,
    /// Gradient descent with momentum as PyTorch computes it: `velocity = momentum * velocity + gradient`, L2 as in Adam.
    Sgd,
}

impl OptimiserKind {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The optimiser and its numbers. Weight decay acts on convolution and fully connected weights only, not on biases and
/// normalisations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimiserConfig {
    /// `adamw`, `adam` or `sgd`. Default `adamw`.
    #[serde(default, skip_serializing_if = "OptimiserKind::is_default")]
    pub kind: OptimiserKind,
    /// Decay of the velocity, for `sgd` only. Default 0.9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub momentum: Option<f32>,
    /// Whether the step looks ahead by the momentum (Nesterov), for `sgd` only. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nesterov: Option<bool>,
    /// Decay of the gradient's average. Default 0.9.
    #[serde(default = "default_beta1")]
    pub beta1: f32,
    /// Decay of the squared gradient's average. Default 0.98.
    #[serde(default = "default_beta2")]
    pub beta2: f32,
    /// Added to the root of the squared gradient's average. Default 1e-8.
    #[serde(default = "default_epsilon")]
    pub epsilon: f32,
    /// Share of each weight taken away at a learning rate of 1, or added to its gradient. Default 0.01.
    #[serde(default = "default_weight_decay")]
    pub weight_decay: f32,
    /// Gradients longer than this are shortened to it; 0 switches clipping off. Default 1.5.
    #[serde(default = "default_clip_norm")]
    pub clip_norm: f32,
    /// Decay of the average of the weights that is validated and exported; 0 uses the weights themselves.
    /// Default 0.999.
    #[serde(default = "default_average_decay")]
    pub average_decay: f32,
}

impl Default for OptimiserConfig {
    fn default() -> Self {
        Self {
            kind: OptimiserKind::default(),
            momentum: None,
            nesterov: None,
            beta1: default_beta1(),
            beta2: default_beta2(),
            epsilon: default_epsilon(),
            weight_decay: default_weight_decay(),
            clip_norm: default_clip_norm(),
            average_decay: default_average_decay(),
        }
    }
}

impl OptimiserConfig {
    /// That every number has a meaning for this optimiser.
    ///
    /// # Errors
    /// [`NetworkError::Invalid`] with the first key that has none, or is out of its range.
    pub(crate) fn check(&self, place: &str) -> Result<(), NetworkError> {
        let shares = [
            ("beta1", self.beta1, 0.999_999),
            ("beta2", self.beta2, 0.999_999),
            ("momentum", self.momentum.unwrap_or_default(), 0.999_999),
            ("average_decay", self.average_decay, 0.999_999),
            ("weight_decay", self.weight_decay, 10.0),
            ("clip_norm", self.clip_norm, f32::MAX),
        ];
        for (key, found, most) in shares {
            if !(0.0..=most).contains(&found) {
                return Err(invalid(place, &format!("optimiser.{key}"), found, format!("0 to {most}")));
            }
        }
        let usual = Self::default();
        let (key, found, when) = match (self.kind, self.momentum, self.nesterov) {
            (OptimiserKind::Sgd, ..) if self.beta1 != usual.beta1 => {
                ("beta1", self.beta1.to_string(), "is sgd")
            }
            (OptimiserKind::Sgd, ..) if self.beta2 != usual.beta2 => {
                ("beta2", self.beta2.to_string(), "is sgd")
            }
            (OptimiserKind::AdamW | OptimiserKind::Adam, Some(found), _) => {
                ("momentum", found.to_string(), "is not sgd")
            }
            (OptimiserKind::AdamW | OptimiserKind::Adam, _, Some(found)) => {
                ("nesterov", found.to_string(), "is not sgd")
            }
            _ => return Ok(()),
        };
        let expected = format!("nothing where optimiser.kind {when}");
        Err(invalid(place, &format!("optimiser.{key}"), found, expected))
    }
}

fn default_beta1() -> f32 {
    0.9
}

fn default_beta2() -> f32 {
    0.98
}

fn default_epsilon() -> f32 {
    1e-8
}

fn default_weight_decay() -> f32 {
    0.01
}

fn default_clip_norm() -> f32 {
    1.5
}

fn default_average_decay() -> f32 {
    0.999
}

/// The averages that the optimiser and the weights' average carry from step to step.
#[derive(Clone, Debug)]
pub(crate) struct OptimiserState {
    pub(crate) config: OptimiserConfig,
    pub(crate) steps: u64,
    /// Average gradient of each parameter, or its velocity.
    pub(crate) first: Values,
    /// Average squared gradient of each parameter; zero where the optimiser has none.
    pub(crate) second: Values,
    /// Average of each parameter.
    pub(crate) average: Values,
}

impl OptimiserState {
    /// The state before the first step.
    pub(crate) fn new(parameters: &Values, config: OptimiserConfig) -> Self {
        let zeros: Values = parameters.iter().map(|values| vec![0.0; values.len()]).collect();
        Self { config, steps: 0, first: zeros.clone(), second: zeros, average: parameters.clone() }
    }

    /// One step against the gradients.
    pub(crate) fn step(
        &mut self,
        architecture: &Architecture,
        parameters: &mut Values,
        gradients: &Values,
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
        let shapes = architecture.parameters().par_iter();
        parameters.par_iter_mut().zip(gradients).zip(averages).zip(shapes).for_each(
            |(((parameter, gradient), ((first, second), average)), shape)| {
                let decay = if shape.is_weight() { config.weight_decay } else { 0.0 };
                // Cut to one length in sight of the compiler, so that it makes vectors of the loop: three times as fast.
                let (count, step) = (parameter.len(), step);
                let (first, second) = (&mut first[..count], &mut second[..count]);
                let (average, gradient) = (&mut average[..count], &gradient[..count]);
                for index in 0..count {
                    let number = Number {
                        parameter: &mut parameter[index],
                        first: &mut first[index],
                        second: &mut second[index],
                        average: &mut average[index],
                    };
                    step.apply(number, gradient[index], decay);
                }
            },
        );
    }
}

/// The usual decay of the velocity.
const MOMENTUM: f32 = 0.9;

/// What is the same for every number of a step.
#[derive(Clone, Copy)]
struct Step {
    config: OptimiserConfig,
    /// What the averages of gradient and squared gradient are divided by: they began at zero.
    corrections: [f32; 2],
    average_decay: f32,
    learning_rate: f32,
}

/// One trained number and its averages.
struct Number<'a> {
    parameter: &'a mut f32,
    first: &'a mut f32,
    second: &'a mut f32,
    average: &'a mut f32,
}

impl Step {
    #[inline]
    fn apply(&self, number: Number<'_>, gradient: f32, decay: f32) {
        let Number { parameter, first, second, average } = number;
        let rate = self.learning_rate;
        *parameter = match self.config.kind {
            OptimiserKind::AdamW => {
                *parameter * (1.0 - rate * decay) - rate * self.adam_direction(first, second, gradient)
            }
            OptimiserKind::Adam => {
                *parameter - rate * self.adam_direction(first, second, gradient + decay * *parameter)
            }
            OptimiserKind::Sgd => {
                let gradient = gradient + decay * *parameter;
                let momentum = self.config.momentum.unwrap_or(MOMENTUM);
                *first = momentum * *first + gradient;
                let ahead = self.config.nesterov.unwrap_or(true);
                *parameter - rate * if ahead { gradient + momentum * *first } else { *first }
            }
        };
        *average = blend(*average, *parameter, self.average_decay);
    }

    /// The averaged gradient over the root of the averaged square, both corrected for their start at zero.
    #[inline]
    fn adam_direction(&self, first: &mut f32, second: &mut f32, gradient: f32) -> f32 {
        let Self { config, corrections, .. } = self;
        *first = blend(*first, gradient, config.beta1);
        *second = blend(*second, gradient * gradient, config.beta2);
        let root = (*second / corrections[1]).sqrt() + config.epsilon;
        *first / corrections[0] / root
    }
}

/// The decay of the weights' average at a step: short at first, so that the random start is soon forgotten.
pub(crate) fn average_decay(decay: f32, step: u64) -> f32 {
    let step = step as f32;
    decay.min((1.0 + step) / (10.0 + step))
}

/// `old * decay + new * (1 - decay)`.
fn blend(old: f32, new: f32, decay: f32) -> f32 {
    old * decay + new * (1.0 - decay)
}

/// Length of all gradients together.
pub(crate) fn norm(gradients: &Values) -> f32 {
    gradients.iter().map(|values| squares(values)).sum::<f64>().sqrt() as f32
}

/// The sum of squares, as several sums side by side: one alone waits for itself at every number.
fn squares(values: &[f32]) -> f64 {
    const SUMS: usize = 16;
    let mut sums = [0.0; SUMS];
    for chunk in values.chunks(SUMS) {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += f64::from(value * value);
        }
    }
    sums.iter().sum()
}

/// Shortens the gradients to `limit` when they are longer; `limit` 0 leaves them alone.
pub(crate) fn clip(gradients: &mut Values, norm: f32, limit: f32) {
    if limit > 0.0 && norm > limit {
        gradients.iter_mut().flatten().for_each(|value| *value *= limit / norm);
    }
}

#[cfg(test)]
mod tests;
