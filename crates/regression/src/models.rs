//! Trained learners.

mod forest;
mod line;
mod neighbours;

use network::{
    NetworkError,
    container::{Container, Matrix},
};

use crate::{LearnerKind, examples::Examples};

pub(crate) use neighbours::Neighbours;

/// A trained learner: from a row of features to pawns.
pub(crate) trait Model: Send + Sync {
    /// Its kind, as named in files: a row of [`MODELS`].
    fn kind(&self) -> &'static str;

    /// Pawns for the side from whose point of view the features are.
    fn predict(&self, row: &[f32]) -> f32;

    /// The trained state as named matrices, from which [`MODELS`] reads it back.
    fn matrices(&self) -> Vec<Matrix>;
}

/// Reads the matrices of a model whose rows have this many features.
type Reader = fn(&mut Parts<'_>, usize) -> Result<Box<dyn Model>, NetworkError>;

const MODELS: &[(&str, Reader)] =
    &[(neighbours::KIND, neighbours::read), (forest::KIND, forest::read), (line::KIND, line::read)];

/// The matrices of one model in a file.
pub(crate) struct Parts<'a> {
    pub(crate) container: &'a mut Container,
    /// Prefix of its matrices' names.
    pub(crate) prefix: String,
    /// Name of the file, for errors.
    pub(crate) place: &'a str,
}

impl Parts<'_> {
    /// Removes a matrix with this many columns and any number of rows.
    fn take(&mut self, name: &str, columns: usize) -> Result<Vec<f32>, NetworkError> {
        let name = format!("{}{name}", self.prefix);
        let rows = self
            .container
            .matrices
            .iter()
            .find(|matrix| matrix.name == name)
            .map_or(0, |matrix| matrix.shape[0]);
        self.container.take(&name, [rows, columns], self.place)
    }

    /// The error for invalid content.
    fn wrong(&self, name: &str, found: String, expected: &str) -> NetworkError {
        NetworkError::Format {
            place: self.place.into(),
            what: format!("matrix `{}{name}`", self.prefix),
            found,
            expected: expected.into(),
        }
    }
}

/// Reads a model of this kind.
pub(crate) fn read(
    kind: &str,
    parts: &mut Parts<'_>,
    features: usize,
) -> Result<Box<dyn Model>, NetworkError> {
    let Some((_, reader)) = MODELS.iter().find(|(name, _)| *name == kind) else {
        let known = MODELS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        return Err(NetworkError::Format {
            place: parts.place.into(),
            what: format!("kind of the learner `{}`", parts.prefix.trim_end_matches('.')),
            found: kind.into(),
            expected: format!("one of {known}"),
        });
    };
    reader(parts, features)
}

impl LearnerKind {
    /// Fits the learner; `neighbours` is the number for nearest neighbours, ignored by others.
    pub(crate) fn fit(
        &self,
        examples: &Examples,
        seed: u64,
        neighbours: Option<usize>,
    ) -> Result<Box<dyn Model>, String> {
        match *self {
            Self::NearestNeighbours { .. } => {
                let count = neighbours.unwrap_or(1);
                Ok(Box::new(Neighbours::new(examples.rows.clone(), examples.pawns.clone(), count)?))
            }
            Self::Forest { trees, features_per_split, minimum_split, minimum_leaf } => {
                let growth = forest::Growth { trees, features_per_split, minimum_split, minimum_leaf, seed };
                Ok(Box::new(forest::Forest::fit(examples, growth)?))
            }
            Self::LinearSvr { epsilon, cost, passes } => Ok(Box::new(line::support_vector_regression(
                examples,
                line::Margin { epsilon, cost, passes, seed },
            ))),
            Self::Lasso { alpha } => Ok(Box::new(line::lasso(examples, alpha)?)),
        }
    }
}
