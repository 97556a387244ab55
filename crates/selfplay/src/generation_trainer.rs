//! The trait that trains and judges the networks of a run.

use std::{collections::BTreeMap, path::Path};

use chess::StopSignal;

use crate::generation::{GateResult, NetworkName};

/// A request to train a network: the samples of one generation's window.
#[derive(Clone, Debug)]
pub struct TrainRequest<'a> {
    /// The generation, which names the network learned.
    pub number: u32,
    /// Path of the sample store.
    pub samples: &'a Path,
    /// A folder for the training; an interrupted training finds its earlier files there.
    pub folder: &'a Path,
    /// The weights to continue from, promoted or not; `None` to begin with random weights.
    pub from: Option<Vec<u8>>,
}

/// A network fresh from training, before any match.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainedGeneration {
    /// The bytes of its file.
    pub weights: Vec<u8>,
    /// Its losses on the held-out games, by name.
    pub losses: BTreeMap<String, f64>,
    /// Seconds of training.
    pub seconds: f64,
}

/// A challenging network, and the current one.
#[derive(Clone, Debug)]
pub struct GateRequest<'a> {
    /// The generation, which names the challenger.
    pub number: u32,
    /// The weights just learned, as the bytes of a file.
    pub challenger: &'a [u8],
    /// The network that plays unless the challenger beats it.
    pub in_force: NetworkName,
    /// Its weights; `None` for a start without a network.
    pub in_force_weights: Option<&'a [u8]>,
    /// A folder for the games of the match; an interrupted match finds its earlier games there.
    pub folder: &'a Path,
}

/// Boxed error of a [`GenerationTrainer`] or of the thread that plays.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Trains networks and gates them by a match. Both may be interrupted and are then called again.
pub trait GenerationTrainer {
    /// Trains a network; `None` if the signal came first.
    ///
    /// # Errors
    /// Any error that prevents training.
    fn train(
        &mut self,
        request: &TrainRequest<'_>,
        stop: &StopSignal,
    ) -> Result<Option<TrainedGeneration>, AnyError>;

    /// Lets a network play against the current one; `None` if the signal came first.
    ///
    /// # Errors
    /// Any error that prevents judging.
    fn judge(&mut self, request: &GateRequest<'_>, stop: &StopSignal)
    -> Result<Option<GateResult>, AnyError>;
}
