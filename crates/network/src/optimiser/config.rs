//! The `[optimiser]` section of a recipe.

use kernels::sparse::training::flushed;
use serde::{Deserialize, Serialize};

use crate::{NetworkError, invalid};

/// The rule that turns gradients into steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimiserKind {
    /// AdamW (Loshchilov and Hutter, arXiv 1711.05101): weight decay is decoupled from the gradient.
    #[default]
    AdamW,
    /// Adam (Kingma and Ba, arXiv 1412.6980) with L2 regularisation: `weight_decay * weight` is added to the gradient.
    Adam,
    /// Gradient descent with momentum as PyTorch computes it: `velocity = momentum * velocity + gradient`, L2 as in Adam.
    Sgd,
    /// Muon (Jordan et al. 2024): matrices of hidden layers are updated with their orthogonalised momentum,
    /// everything else with `AdamW`.
    Muon,
}

impl OptimiserKind {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The optimiser and its settings. Weight decay applies only to convolution and fully connected weights, not to biases
/// and normalisations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimiserConfig {
    /// `adamw`, `adam`, `sgd` or `muon`. Default `adamw`.
    #[serde(skip_serializing_if = "OptimiserKind::is_default")]
    pub kind: OptimiserKind,
    /// Decay of the velocity, for `sgd` and `muon`. Default [`OptimiserConfig::SGD_MOMENTUM`] and [`OptimiserConfig::MUON_MOMENTUM`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub momentum: Option<f32>,
    /// True for Nesterov momentum, a step that looks ahead by the momentum; for `sgd` and `muon`. Default
    /// [`OptimiserConfig::NESTEROV`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nesterov: Option<bool>,
    /// Learning rate of matrices followed by a normalisation, relative to that of everything else; for `muon`
    /// only. Normalisation cancels the norm of these matrices, so they tolerate larger steps, which would
    /// kill units in other layers. Default [`OptimiserConfig::NORMALISED_RATE`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalised_rate: Option<f32>,
    /// Decay of the moving average of the gradient. Default 0.9.
    pub beta1: f32,
    /// Decay of the moving average of the squared gradient. Default 0.98.
    pub beta2: f32,
    /// Added to the square root of the squared gradient's average. Default 1e-8.
    pub epsilon: f32,
    /// Fraction of each weight subtracted per step at a learning rate of 1, or added to its gradient. Default 0.01.
    pub weight_decay: f32,
    /// Gradients with a larger norm are scaled down to it; 0 disables clipping. Default 1.5.
    pub clip_norm: f32,
    /// Decay of the moving average of the weights that is validated and exported; 0 uses the weights themselves.
    /// Default 0.999.
    pub average_decay: f32,
}

impl Default for OptimiserConfig {
    fn default() -> Self {
        Self {
            kind: OptimiserKind::default(),
            momentum: None,
            nesterov: None,
            normalised_rate: None,
            // `beta1` and `epsilon` are from Adam's paper, `weight_decay` is PyTorch's for AdamW; the others are chosen.
            beta1: 0.9,
            beta2: 0.98,
            epsilon: 1e-8,
            weight_decay: 0.01,
            clip_norm: 1.5,
            average_decay: 0.999,
        }
    }
}

impl OptimiserConfig {
    /// Default [`OptimiserConfig::momentum`] of `sgd`. Chosen, not tuned.
    pub const SGD_MOMENTUM: f32 = 0.9;
    /// Default [`OptimiserConfig::momentum`] of `muon`, as in Jordan's `muon.py`.
    pub const MUON_MOMENTUM: f32 = 0.95;
    /// Default [`OptimiserConfig::nesterov`], as in Jordan's implementation.
    pub const NESTEROV: bool = true;
    /// Default [`OptimiserConfig::normalised_rate`]: the best of short runs at a rate of 2.5e-3 (docs/training-log.md, "Muon"). The long
    /// runs of the recipes set 8, with a rate of 1e-3, at which no unit died ("muon-6x64"). The default is not changed, so that
    /// recipes without the key keep their meaning.
    pub const NORMALISED_RATE: f32 = 4.0;

    /// The learning rate of a matrix relative to that of everything else.
    pub(super) fn relative_rate(&self, is_normalised: bool) -> f32 {
        // One rate for all matrices has to disappoint one part of the network. At 8e-3, the best rate for the convolutions, 122 of
        // the 128 ReLUs of a value head were dead after 8,000 steps: no normalisation follows its hidden layer, so a step that is
        // too long moves a unit below zero for every position, and it stays there. At rates that keep these units alive, the
        // convolutions learn more slowly than they could. With separate rates all units lived and both losses were lower
        // (docs/training-log.md, "Muon").
        if is_normalised { self.normalised_rate.unwrap_or(Self::NORMALISED_RATE) } else { 1.0 }
    }

    /// The new velocity from the old one and a gradient, and the direction against which weights move.
    #[inline]
    pub(super) fn momentum_direction(&self, velocity: &mut f32, gradient: f32) -> f32 {
        let usual = if self.kind == OptimiserKind::Muon { Self::MUON_MOMENTUM } else { Self::SGD_MOMENTUM };
        let momentum = self.momentum.unwrap_or(usual);
        *velocity = flushed(momentum * *velocity + gradient);
        if self.nesterov.unwrap_or(Self::NESTEROV) { gradient + momentum * *velocity } else { *velocity }
    }

    /// Checks that every setting applies to this optimiser.
    ///
    /// # Errors
    /// [`NetworkError::Invalid`] with the first key that does not apply, or is out of range.
    pub fn check(&self, place: &str) -> Result<(), NetworkError> {
        let shares = [
            ("beta1", self.beta1, 0.999_999),
            ("beta2", self.beta2, 0.999_999),
            ("momentum", self.momentum.unwrap_or_default(), 0.999_999),
            ("average_decay", self.average_decay, 0.999_999),
            ("weight_decay", self.weight_decay, 10.0),
            ("clip_norm", self.clip_norm, f32::MAX),
            ("normalised_rate", self.normalised_rate.unwrap_or_default(), 1000.0),
        ];
        for (key, found, most) in shares {
            if !(0.0..=most).contains(&found) {
                return Err(invalid(place, &format!("optimiser.{key}"), found, format!("0 to {most}")));
            }
        }
        let usual = Self::default();
        let is_sgd = self.kind == OptimiserKind::Sgd;
        let has_velocity = matches!(self.kind, OptimiserKind::Sgd | OptimiserKind::Muon);
        let is_muon = self.kind == OptimiserKind::Muon;
        let beta1 = (self.beta1 != usual.beta1).then(|| self.beta1.to_string());
        let beta2 = (self.beta2 != usual.beta2).then(|| self.beta2.to_string());
        let momentum = self.momentum.map(|momentum| momentum.to_string());
        let nesterov = self.nesterov.map(|nesterov| nesterov.to_string());
        let normalised_rate = self.normalised_rate.map(|rate| rate.to_string());
        for (key, found, applies, otherwise) in [
            ("beta1", beta1, !is_sgd, "is sgd"),
            ("beta2", beta2, !is_sgd, "is sgd"),
            ("momentum", momentum, has_velocity, "has no velocity"),
            ("nesterov", nesterov, has_velocity, "has no velocity"),
            ("normalised_rate", normalised_rate, is_muon, "is not muon"),
        ] {
            if let Some(found) = found.filter(|_| !applies) {
                let expected = format!("nothing where optimiser.kind {otherwise}");
                return Err(invalid(place, &format!("optimiser.{key}"), found, expected));
            }
        }
        Ok(())
    }
}
