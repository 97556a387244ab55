//! One network being trained: parameters, optimiser, and the step that moves them.

use burn::tensor::Tensor;
use dataset::Batch;

use crate::{
    NetworkError, Spec,
    architecture::Architecture,
    device::Device,
    inputs::Inputs,
    losses::{LossConfig, Losses},
    model::{Frozen, Mode, Parameters, Statistics, forward, initial_parameters},
    optimiser::{OptimiserConfig, OptimiserState, clip, norm},
    spec::invalid,
};

/// A network in training.
pub struct Learner {
    pub(crate) architecture: Architecture,
    pub(crate) device: Device,
    pub(crate) parameters: Parameters,
    pub(crate) state: OptimiserState,
    losses: LossConfig,
}

/// What one step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Cross-entropy of the policy over legal moves, nats.
    pub policy_loss: f32,
    /// Loss of the value head.
    pub value_loss: f32,
    /// The weighted sum that was minimised.
    pub total_loss: f32,
    /// Length of the gradient before clipping.
    pub gradient_norm: f32,
}

impl Learner {
    /// A network with random weights.
    ///
    /// # Errors
    /// As [`Spec::check`]; [`NetworkError::Invalid`] for a head that says how many moves are left.
    pub fn new(
        spec: &Spec,
        losses: LossConfig,
        optimiser: OptimiserConfig,
        seed: u64,
        device: &Device,
    ) -> Result<Self, NetworkError> {
        if spec.moves_left.is_some() {
            let expected = "none: this program trains no such head".into();
            return Err(invalid("specification", "moves_left", "a head", expected));
        }
        let architecture = Architecture::new(spec)?;
        let parameters = initial_parameters(&architecture, seed, device)?;
        let state = OptimiserState::new(&parameters, optimiser);
        Ok(Self { architecture, device: device.clone(), parameters, state, losses })
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Learns from one batch.
    ///
    /// # Errors
    /// [`NetworkError::Data`] when the batch does not fit the network, [`NetworkError::Training`] when the loss or the
    /// gradient is not finite; the parameters are then as they were.
    pub fn step(&mut self, batch: &Batch, learning_rate: f32) -> Result<StepReport, NetworkError> {
        let inputs = Inputs::new(batch, &self.architecture, &self.device)?;
        let leaves: Vec<Tensor<2>> =
            self.parameters.iter().map(|parameter| parameter.clone().autodiff().require_grad()).collect();
        let planes = inputs.planes.autodiff();
        let outputs = forward(&self.architecture, &leaves, Mode::Batch, self.device.kernels, planes);
        let losses = Losses::new(outputs, &inputs.legal, batch, &self.losses, &self.device);
        let mut gradients = losses.total.backward();
        let gradients: Vec<Tensor<2>> = leaves
            .iter()
            .map(|leaf| leaf.grad_remove(&mut gradients).unwrap_or_else(|| leaf.clone().inner().zeros_like()))
            .collect();
        let norm = scalar(norm(&gradients))?;
        let report = StepReport {
            policy_loss: scalar(losses.policy)?,
            value_loss: scalar(losses.value)?,
            total_loss: scalar(losses.total)?,
            gradient_norm: norm,
        };
        if !(report.total_loss.is_finite() && norm.is_finite()) {
            return Err(NetworkError::Training(format!(
                "step {}: loss {}, gradient norm {norm}: expected finite numbers; a lower learning rate or clip_norm helps",
                self.state.steps + 1,
                report.total_loss,
            )));
        }
        let clipped = clip(gradients, norm, self.state.config.clip_norm);
        let Self { state, architecture, parameters, .. } = self;
        state.step(architecture, parameters, clipped, learning_rate);
        Ok(report)
    }

    /// The averaged weights with these statistics: what is validated and exported.
    pub(crate) fn frozen<'a>(&'a self, statistics: &'a [Tensor<2>]) -> Frozen<'a> {
        let Self { architecture, device, state, .. } = self;
        Frozen { architecture, parameters: &state.average, statistics, device }
    }

    /// Mean and variance of every normalisation over these batches, for the averaged weights: what the network uses in
    /// play.
    ///
    /// # Errors
    /// [`NetworkError::Data`] when a batch does not fit the network or there is none.
    pub(crate) fn measure_statistics(&self, batches: &[Batch]) -> Result<Statistics, NetworkError> {
        let mut sums: Option<Statistics> = None;
        for batch in batches {
            let inputs = Inputs::new(batch, &self.architecture, &self.device)?;
            let average = &self.state.average;
            let outputs =
                forward(&self.architecture, average, Mode::Batch, self.device.kernels, inputs.planes);
            // Means and second moments add up over batches; variances do not.
            let powers = outputs.moments.into_iter().map(to_second_moment);
            sums = Some(match sums {
                None => powers.collect(),
                Some(sums) => sums.into_iter().zip(powers).map(|(sum, term)| sum + term).collect(),
            });
        }
        let sums =
            sums.ok_or_else(|| NetworkError::Data("no batch to measure normalisation statistics on".into()))?;
        let count = batches.len() as f32;
        Ok(sums.into_iter().map(|sum| from_second_moment(sum.div_scalar(count))).collect())
    }
}

/// (mean, variance) -> (mean, mean square); `[2, channels]` -> the same.
fn to_second_moment(moments: Tensor<2>) -> Tensor<2> {
    let mean = moments.clone().narrow(0, 0, 1);
    let variance = moments.narrow(0, 1, 1);
    Tensor::cat(vec![mean.clone(), variance + mean.square()], 0)
}

/// (mean, mean square) -> (mean, variance); `[2, channels]` -> the same.
fn from_second_moment(moments: Tensor<2>) -> Tensor<2> {
    let mean = moments.clone().narrow(0, 0, 1);
    let square = moments.narrow(0, 1, 1);
    Tensor::cat(vec![mean.clone(), (square - mean.square()).clamp_min(0.0)], 0)
}

pub(crate) fn scalar(tensor: Tensor<1>) -> Result<f32, NetworkError> {
    tensor
        .try_into_scalar()
        .map_err(|error| NetworkError::Training(format!("the device gave no number: {error}")))
}
