//! AdamW with gradient clipping, and the exponential average of the weights.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use crate::{
    architecture::{Architecture, Role},
    model::Parameters,
};

/// AdamW (Loshchilov and Hutter, arXiv 1711.05101). Weight decay acts on convolution and fully connected weights only,
/// not on biases and normalisations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimiserConfig {
    /// Decay of the gradient's average. Default 0.9.
    #[serde(default = "default_beta1")]
    pub beta1: f32,
    /// Decay of the squared gradient's average. Default 0.98.
    #[serde(default = "default_beta2")]
    pub beta2: f32,
    /// Added to the root of the squared gradient's average. Default 1e-8.
    #[serde(default = "default_epsilon")]
    pub epsilon: f32,
    /// Share of each weight taken away at a learning rate of 1. Default 0.01.
    #[serde(default = "default_weight_decay")]
    pub weight_decay: f32,
    /// Gradients longer than this are shortened to it; 0 switches clipping off. Default 1.5.
    #[serde(default = "default_clip_norm")]
    pub clip_norm: f32,
    /// Decay of the weights' average, which is what is validated and exported; 0 = the weights themselves.
    /// Default 0.999.
    #[serde(default = "default_average_decay")]
    pub average_decay: f32,
}

impl Default for OptimiserConfig {
    fn default() -> Self {
        Self {
            beta1: default_beta1(),
            beta2: default_beta2(),
            epsilon: default_epsilon(),
            weight_decay: default_weight_decay(),
            clip_norm: default_clip_norm(),
            average_decay: default_average_decay(),
        }
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
    /// Steps taken.
    pub(crate) steps: u64,
    /// Average gradient of each parameter.
    pub(crate) first: Parameters,
    /// Average squared gradient of each parameter.
    pub(crate) second: Parameters,
    /// Average of each parameter.
    pub(crate) average: Parameters,
}

impl OptimiserState {
    /// The state before the first step.
    pub(crate) fn new(parameters: &[Tensor<2>], config: OptimiserConfig) -> Self {
        let zeros: Parameters = parameters.iter().map(Tensor::zeros_like).collect();
        Self { config, steps: 0, first: zeros.clone(), second: zeros, average: parameters.to_vec() }
    }

    /// One step against the gradients.
    pub(crate) fn step(
        &mut self,
        architecture: &Architecture,
        parameters: &mut Parameters,
        gradients: Vec<Tensor<2>>,
        learning_rate: f32,
    ) {
        let config = self.config;
        self.steps += 1;
        let correction1 = 1.0 - f64::from(config.beta1).powf(self.steps as f64);
        let correction2 = 1.0 - f64::from(config.beta2).powf(self.steps as f64);
        for (index, gradient) in gradients.into_iter().enumerate() {
            let first = blend(&self.first[index], gradient.clone(), config.beta1);
            let second = blend(&self.second[index], gradient.square(), config.beta2);
            let root = second.clone().div_scalar(correction2).sqrt().add_scalar(config.epsilon);
            let update = first.clone().div_scalar(correction1) / root;
            let parameter = parameters[index].clone();
            let kept = match architecture.parameters[index].role {
                Role::Weight { .. } => parameter.mul_scalar(1.0 - learning_rate * config.weight_decay),
                Role::Scale | Role::Bias => parameter,
            };
            parameters[index] = kept - update.mul_scalar(learning_rate);
            self.first[index] = first;
            self.second[index] = second;
            let decay = average_decay(config.average_decay, self.steps);
            self.average[index] = blend(&self.average[index], parameters[index].clone(), decay);
        }
    }
}

/// The decay of the weights' average at a step: short at first, so that the random start is soon forgotten.
pub(crate) fn average_decay(decay: f32, step: u64) -> f32 {
    let step = step as f32;
    decay.min((1.0 + step) / (10.0 + step))
}

/// `old * decay + new * (1 - decay)`.
fn blend(old: &Tensor<2>, new: Tensor<2>, decay: f32) -> Tensor<2> {
    old.clone().mul_scalar(decay) + new.mul_scalar(1.0 - decay)
}

/// Length of all gradients together.
pub(crate) fn norm(gradients: &[Tensor<2>]) -> Tensor<1> {
    let squares = gradients.iter().map(|gradient| gradient.clone().square().sum()).collect();
    Tensor::cat(squares, 0).sum().sqrt()
}

/// Shortens the gradients to `limit` when they are longer; `limit` 0 leaves them alone.
pub(crate) fn clip(gradients: Vec<Tensor<2>>, norm: f32, limit: f32) -> Vec<Tensor<2>> {
    if limit > 0.0 && norm > limit {
        gradients.into_iter().map(|gradient| gradient.mul_scalar(limit / norm)).collect()
    } else {
        gradients
    }
}

#[cfg(test)]
mod tests;
