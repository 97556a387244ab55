//! Metadata from the header of a weights file.

use crate::planes::lc0::message::Net;

/// Metadata of an lc0 weights file; `None` for missing fields.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Description {
    pub license: Option<String>,
    /// The oldest lc0 version that reads the file: major, minor, patch.
    pub minimum_version: Option<(u32, u32, u32)>,
    pub training_steps: Option<u32>,
    /// Learning rate at the end of training.
    pub learning_rate: Option<f32>,
    /// Mean squared error of the value at the end of training.
    pub value_loss: Option<f32>,
    /// Cross-entropy of the policy at the end of training.
    pub policy_loss: Option<f32>,
    /// Percentage of moves predicted correctly at the end of training.
    pub policy_accuracy: Option<f32>,
    /// Parameters of lc0 in the games on which it was trained.
    pub lc0_parameters: Option<String>,
}

impl Description {
    /// The metadata of a decoded file.
    pub(crate) fn of(net: Net) -> Self {
        let version = net.min_version.map(|version| {
            [version.major, version.minor, version.patch].map(Option::unwrap_or_default).into()
        });
        let training = net.training_params.unwrap_or_default();
        Self {
            license: net.license,
            minimum_version: version,
            training_steps: training.training_steps,
            learning_rate: training.learning_rate,
            value_loss: training.mse_loss,
            policy_loss: training.policy_loss,
            policy_accuracy: training.accuracy,
            lc0_parameters: training.lc0_params,
        }
    }
}
