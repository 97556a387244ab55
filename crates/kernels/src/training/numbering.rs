//! The indices of layers among the parameters and normalisations of a network.

use super::{backend::TrainingBackend, linear::Linear, normalised::Normalised, shape::TrainingShape};

/// Numbers parameters and normalisations while layers are created.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbering {
    pub(crate) parameter: usize,
    pub(crate) normalisation: usize,
}

impl Numbering {
    /// The next layer with normalisation.
    pub(crate) fn normalised<G: TrainingBackend>(
        &mut self,
        linear: Linear,
        shape: &TrainingShape,
    ) -> Normalised<G> {
        let layer = Normalised::new(linear, self.parameter, self.normalisation, shape.activation);
        self.parameter += 3;
        self.normalisation += 1;
        layer
    }
}
