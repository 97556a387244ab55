//! The architecture of a network: its parameters and, for each kind of network, their use.

mod heads;
mod layout;
mod planes;
mod sparse;
mod summary;

use crate::{
    NetworkError,
    parameter::{ParameterShape, StatisticsShape},
    spec::Spec,
};

pub use planes::{Normalisation, PlaneArchitecture};
pub use sparse::{Pair, SparseArchitecture};
pub use summary::LayerRow;

/// A specification with its layers and parameters laid out.
#[derive(Clone, Debug)]
pub struct Architecture {
    spec: Spec,
    layout: Layout,
}

/// The layout of one of the two kinds of network.
#[derive(Clone, Debug)]
enum Layout {
    Planes(Box<PlaneArchitecture>),
    Sparse(Box<SparseArchitecture>),
}

impl Architecture {
    /// Lays out a specification.
    ///
    /// # Errors
    /// As [`Spec::check`].
    pub fn new(spec: &Spec) -> Result<Self, NetworkError> {
        let layout = match spec {
            Spec::Planes(spec) => Layout::Planes(Box::new(PlaneArchitecture::new(spec)?)),
            Spec::Sparse(spec) => Layout::Sparse(Box::new(SparseArchitecture::new(spec)?)),
        };
        Ok(Self { spec: spec.clone(), layout })
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
        match &self.layout {
            Layout::Planes(planes) => Ok(planes),
            Layout::Sparse(_) => Err(self.other_kind("a network that reads planes")),
        }
    }

    /// The layout of a sparse network, for code that accepts no other kind.
    ///
    /// # Errors
    /// As [`Spec::sparse`].
    pub fn sparse(&self) -> Result<&SparseArchitecture, NetworkError> {
        match &self.layout {
            Layout::Sparse(sparse) => Ok(sparse),
            Layout::Planes(_) => Err(self.other_kind("a sparse network")),
        }
    }

    fn other_kind(&self, expected: &'static str) -> NetworkError {
        NetworkError::Kind { found: self.spec.in_words(), expected }
    }

    /// Name and shape of every parameter, in the order of [`Parameters`](crate::passes::Parameters).
    pub fn parameters(&self) -> &[ParameterShape] {
        match &self.layout {
            Layout::Planes(planes) => planes.parameters(),
            Layout::Sparse(sparse) => sparse.parameters(),
        }
    }

    /// Name and number of channels of every normalisation; a sparse network has none.
    pub(crate) fn statistics(&self) -> &[StatisticsShape] {
        match &self.layout {
            Layout::Planes(planes) => &planes.list.statistics,
            Layout::Sparse(_) => &[],
        }
    }

    /// Every batch normalisation, in the order of the layers; a sparse network has none.
    pub fn normalisations(&self) -> Vec<Normalisation> {
        self.planes().map(PlaneArchitecture::normalisations).unwrap_or_default()
    }

    /// True if a parameter is the matrix of a layer that is followed by a normalisation, so that scaling it does not
    /// change the output.
    pub fn is_normalised(&self, parameter: usize) -> bool {
        self.planes().is_ok_and(|planes| planes.is_normalised(parameter))
    }
}

impl Spec {
    /// Checks ranges and encodings, and that the layers fit together; `place` names the file in errors.
    ///
    /// # Errors
    /// [`NetworkError::Invalid`] or [`NetworkError::UnknownEncoding`].
    pub fn check(&self, place: &str) -> Result<(), NetworkError> {
        match self {
            Self::Planes(spec) => planes::lay_out(spec, place).map(|_| ()),
            Self::Sparse(spec) => spec.check(place),
        }
    }

    /// Number of trained parameters, including those of normalisations but not running statistics.
    ///
    /// # Errors
    /// As [`Spec::check`].
    pub fn parameter_count(&self) -> Result<usize, NetworkError> {
        let architecture = Architecture::new(self)?;
        Ok(architecture.parameters().iter().map(|shape| shape.rows * shape.columns).sum())
    }
}
