//! The architecture of a network: its parameters and, for each kind of network, their use.

mod heads;
mod layout;
mod summary;

use std::{any::Any, sync::Arc};

use crate::{
    NetworkError, OptimiserConfig, kind,
    parameter::{ParameterShape, StatisticsShape},
    passes::{Forward, Parameters},
    spec::Spec,
    trainable::Trainable,
};

pub(crate) use crate::planes::layout::lay_out;
pub use crate::planes::layout::{Normalisation, PlaneArchitecture};
pub use crate::sparse::layout::{Pair, SparseArchitecture};
pub use summary::LayerRow;
pub(crate) use summary::of_matrices;

/// A specification with its layers and parameters laid out.
#[derive(Clone, Debug)]
pub struct Architecture {
    spec: Spec,
    layout: Arc<dyn kind::Layout>,
}

impl Architecture {
    /// Lays out a specification.
    ///
    /// # Errors
    /// As [`Spec::check`].
    pub fn new(spec: &Spec) -> Result<Self, NetworkError> {
        Ok(Self { spec: spec.clone(), layout: spec.kind().lay_out()? })
    }

    /// The specification that was laid out.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The layout of a network of planes, for code that accepts no other kind.
    ///
    /// # Errors
    /// As [`Spec::planes`].
    pub fn planes(&self) -> Result<&PlaneArchitecture, NetworkError> {
        self.of_kind("a network that reads planes")
    }

    /// The layout of a sparse network, for code that accepts no other kind.
    ///
    /// # Errors
    /// As [`Spec::sparse`].
    pub fn sparse(&self) -> Result<&SparseArchitecture, NetworkError> {
        self.of_kind("a sparse network")
    }

    fn of_kind<L: Any>(&self, expected: &'static str) -> Result<&L, NetworkError> {
        let layout: &dyn Any = self.layout.as_ref();
        layout.downcast_ref().ok_or_else(|| self.spec.other_kind(expected))
    }

    /// Name and shape of every parameter, in the order of [`Parameters`].
    pub fn parameters(&self) -> &[ParameterShape] {
        self.layout.parameters()
    }

    /// The network in training, before its first step.
    ///
    /// # Errors
    /// [`NetworkError::Kernel`] if the machine lacks the instruction set that `TABIYA_ISA` names.
    pub fn trainable(
        &self,
        parameters: Parameters,
        optimiser: OptimiserConfig,
    ) -> Result<Box<dyn Trainable>, NetworkError> {
        self.layout.trainable(parameters, optimiser)
    }

    /// The forward pass of training, in 32-bit floats.
    ///
    /// # Errors
    /// As [`Architecture::trainable`].
    pub fn forward(&self) -> Result<Box<dyn Forward>, NetworkError> {
        self.layout.forward()
    }

    /// Name and number of channels of every normalisation.
    pub(crate) fn statistics(&self) -> &[StatisticsShape] {
        self.layout.statistics()
    }

    /// Every batch normalisation, in the order of the layers.
    pub fn normalisations(&self) -> Vec<Normalisation> {
        self.layout.normalisations()
    }

    /// Number of the policy's outputs that belong to a move; `None` if it scores legal moves only.
    pub fn moves(&self) -> Option<usize> {
        self.layout.moves()
    }
}

impl Spec {
    /// Number of trained parameters, including those of normalisations but not running statistics.
    ///
    /// # Errors
    /// As [`Spec::check`].
    pub fn parameter_count(&self) -> Result<usize, NetworkError> {
        let architecture = Architecture::new(self)?;
        Ok(architecture.parameters().iter().map(|shape| shape.rows * shape.columns).sum())
    }
}
