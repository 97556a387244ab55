//! The interface that every kind of network implements. The list of kinds is in `spec.rs`.

use std::{any::Any, fmt, sync::Arc};

use chess::{
    Evaluator,
    encoding::{FeatureSet, InputEncoding, MoveEncoding},
};

use crate::{
    CpuOptions, NetworkError, OptimiserConfig, ValueKind, Weights,
    architecture::{LayerRow, Normalisation, of_matrices},
    container::WeightQuantisation,
    parameter::{ParameterShape, StatisticsShape},
    passes::{Forward, Parameters},
    spec::Spec,
    trainable::Trainable,
};

/// The specification of one kind of network.
pub(crate) trait NetworkKind {
    /// As [`Spec::check`].
    fn check(&self, place: &str) -> Result<(), NetworkError>;

    /// As [`Spec::shape_name`].
    fn shape_name(&self) -> String;

    /// The network with its most important setting, for errors.
    fn in_words(&self) -> String;

    /// As [`Spec::inputs`].
    fn inputs(&self) -> Result<Inputs, NetworkError>;

    /// As [`Spec::value_kind`].
    fn value_kind(&self) -> ValueKind;

    /// As [`Spec::has_policy`].
    fn has_policy(&self) -> bool;

    /// As [`Spec::learns_rows`].
    fn learns_rows(&self) -> bool {
        false
    }

    /// The parameter shapes, with what is derived from them: outputs, descriptions, evaluators, training.
    fn lay_out(&self) -> Result<Arc<dyn Layout>, NetworkError>;

    /// A trained network for play.
    fn evaluator(&self, weights: &Weights, options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError>;

    /// How a matrix of the weights file is stored in eight bits; `None` if it is stored in full. `is_small` is true for files that
    /// are to be small.
    fn quantisation(&self, matrix: &str, is_small: bool) -> Option<WeightQuantisation>;

    /// As [`Weights::grown`].
    fn grown(&self, weights: &Weights, wanted: &Spec) -> Result<Option<Weights>, NetworkError>;
}

/// A specification with its parameters laid out.
pub(crate) trait Layout: fmt::Debug + Any + Send + Sync {
    /// Name and shape of every parameter.
    fn parameters(&self) -> &[ParameterShape];

    /// Name and number of channels of every normalisation.
    fn statistics(&self) -> &[StatisticsShape] {
        &[]
    }

    /// Every batch normalisation, in the order of the layers.
    fn normalisations(&self) -> Vec<Normalisation> {
        Vec::new()
    }

    /// Number of the policy's outputs that belong to a move, if it also scores illegal ones.
    fn moves(&self) -> Option<usize> {
        None
    }

    /// As [`Architecture::layers`](crate::architecture::Architecture::layers).
    fn layers(&self) -> Vec<LayerRow> {
        of_matrices(self.parameters())
    }

    /// The network in training, before its first step.
    fn trainable(
        &self,
        parameters: Parameters,
        optimiser: OptimiserConfig,
    ) -> Result<Box<dyn Trainable>, NetworkError>;

    /// The forward pass of training, in 32-bit floats.
    fn forward(&self) -> Result<Box<dyn Forward>, NetworkError>;
}

/// The encodings of a network's input.
#[derive(Clone)]
pub enum Inputs {
    /// Planes, and a policy index for each legal move.
    Planes(&'static dyn InputEncoding, &'static dyn MoveEncoding),
    /// Sets of features, the value's first, and rows for each legal move.
    Features(Vec<&'static dyn FeatureSet>),
}

/// The names of the encodings: `tabiya -> lc0-1858`, or that of the value's features.
impl fmt::Display for Inputs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Planes(input, moves) => write!(formatter, "{} -> {}", input.name(), moves.name()),
            Self::Features(sets) => formatter.write_str(sets[0].name()),
        }
    }
}
