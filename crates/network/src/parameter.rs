//! The parameters and running statistics of layers.
//!
//! A convolution weight is a matrix `[size * size * channels_in, channels_out]`. Row `tap * channels_in + channel` belongs to
//! the neighbour at `tap = rank step * size + file step`, with steps counted from the lowest.

pub use kernels::layers::EPSILON;

/// Name and shape of one parameter; every parameter is a matrix.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct ParameterShape {
    /// Path of the layer and kind of parameter, such as `block3.second.weight`.
    pub name: String,
    pub(crate) role: Role,
    pub rows: usize,
    pub columns: usize,
}

impl ParameterShape {
    /// Its number of values.
    pub fn size(&self) -> usize {
        self.rows * self.columns
    }

    /// True if this is the matrix of a convolution or fully connected layer, or a table. Weight decay applies to these, but not
    /// to scales and biases.
    pub fn is_weight(&self) -> bool {
        matches!(self.role, Role::Weight { .. } | Role::Uniform(_) | Role::Table(_))
    }

    /// True if this is a table, of which a sample uses only some rows.
    pub fn is_table(&self) -> bool {
        matches!(self.role, Role::Table(_))
    }

    /// True if this is the matrix of a layer whose output is not an output of the network.
    pub fn is_hidden(&self) -> bool {
        self.role == Role::Weight { gain: Gain::Hidden }
    }
}

/// The role of a parameter, which determines its initial value and whether weight decay applies to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    /// The matrix of a convolution or fully connected layer. `gain` scales its He initialisation.
    Weight { gain: Gain },
    /// The matrix of a layer whose inputs are its columns; its initial values are uniform between minus and plus this
    /// number.
    Uniform(f32),
    /// The scale of a normalisation; its initial value is one.
    Scale,
    /// A factor other than the scale of a batch normalisation; its initial value is one.
    Factor,
    /// A bias; its initial value is zero.
    Bias,
    /// A table whose rows are looked up; its initial values are uniform between minus and plus this number.
    Table(f32),
    /// A bias before clipping at zero, below which nothing is learned; its initial value is this number, above zero.
    Raised(f32),
}

/// Scale of the initial weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Gain {
    /// Variance 2 / inputs (He et al., arXiv 1502.01852).
    #[default]
    Hidden,
    /// [`OUTPUT_SCALE`] times that standard deviation, for heads that start close to their baseline.
    Output,
}

/// Standard deviation of the weights of a head's last layer relative to other layers. Outputs start close to even, so the first
/// steps do not have to undo random outputs. Chosen, not tuned.
pub(crate) const OUTPUT_SCALE: f32 = 0.1;

/// Name and number of channels of one normalisation, whose running statistics are `[2, channels]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StatisticsShape {
    pub(crate) name: String,
    pub(crate) channels: usize,
}

/// True if a parameter is the matrix of a layer that is followed by a normalisation, so that scaling it does not change the
/// output.
pub fn is_normalised(shapes: &[ParameterShape], parameter: usize) -> bool {
    // Parameters are in the order of their layers, so the scale of a normalisation is the next one, but for a bias of the layer
    // itself.
    let [shape, after @ ..] = &shapes[parameter..] else { return false };
    let next = after.iter().find(|shape| shape.role != Role::Bias);
    shape.is_weight() && next.is_some_and(|shape| shape.role == Role::Scale)
}
