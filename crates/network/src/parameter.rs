//! The parameters and running statistics of layers.
//!
//! A convolution weight is a matrix `[size * size * channels_in, channels_out]`. Its row `tap * channels_in + channel` belongs to
//! the neighbour at `tap = rank step * size + file step`, steps counted from the lowest.

pub use kernels::training::EPSILON;

/// Name and shape of one parameter; every parameter is a matrix.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct ParameterShape {
    /// Path of the layer and the kind: `block3.second.weight`.
    pub name: String,
    pub(crate) role: Role,
    pub rows: usize,
    pub columns: usize,
}

impl ParameterShape {
    /// True if this is the matrix of a convolution or fully connected layer, or a table, which weight decay shrinks; scales and
    /// biases are left alone.
    pub fn is_weight(&self) -> bool {
        matches!(self.role, Role::Weight { .. } | Role::Uniform(_) | Role::Table(_))
    }

    /// True if this is a table of rows, of which a sample uses some.
    pub fn is_table(&self) -> bool {
        matches!(self.role, Role::Table(_))
    }

    /// True if this is the matrix of a layer whose output is not an answer of the network.
    pub fn is_hidden(&self) -> bool {
        self.role == Role::Weight { gain: Gain::Hidden }
    }
}

/// The role of a parameter; decides its initial value and whether weight decay shrinks it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    /// The matrix of a convolution or fully connected layer. `gain` scales its He initialisation.
    Weight { gain: Gain },
    /// The matrix of a layer whose inputs are its columns: starts uniform from minus this to this.
    Uniform(f32),
    /// The factor of a normalisation: starts at one.
    Scale,
    /// A number that is added: starts at zero.
    Bias,
    /// A table of rows that are looked up: starts uniform from minus this to this.
    Table(f32),
    /// A bias before a cut at zero, below which nothing is learned: starts above it.
    Raised(f32),
}

/// Scale of the initial weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Gain {
    /// Variance 2 / inputs (He et al., arXiv 1502.01852).
    #[default]
    Hidden,
    /// A tenth of that deviation: heads that start close to their baseline.
    Output,
}

/// Name and channels of one normalisation, whose running statistics are `[2, channels]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StatisticsShape {
    pub(crate) name: String,
    pub(crate) channels: usize,
}
