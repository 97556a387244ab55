//! The layers of a network: one typed list, built from the specification, with the shape and the parameters of each layer. The
//! kernels' plan, ONNX, the steps for other programs, parameter counts and the order of weights files are derived from
//! it.
//!
//! A kind of layer, or a few that belong together, is one file in this module; each is one row of [`LayerKind`]'s list.

mod activation;
mod attention;
mod builder;
mod convolution;
mod dense;
mod flatten;
mod heads;
mod move_scores;
mod normalisation;
pub(crate) mod operation;
mod operator;
mod pooling;
mod residual;
mod square_affine;
mod squeeze_excite;
pub(crate) mod tower;

use std::{
    ops::{Range, RangeInclusive},
    sync::Arc,
};

use chess::{encoding::SQUARES, split_mix::spread};
use serde::{Deserialize, Serialize};

use crate::{
    NetworkError,
    parameter::{ParameterShape, StatisticsShape},
};

pub use activation::{Activate, Dropout};
pub use attention::{Attention, Encoder, Smolgen};
pub use convolution::Convolution;
pub use dense::Dense;
pub use flatten::{DenseEmbedding, Flatten, Numbers};
pub use kernels::{Activation, layers::Pooling};
pub use normalisation::{BatchNorm, GroupNorm, LayerNorm};
pub use operator::Operator;
pub use pooling::Pool;
pub use residual::{Bottleneck, Residual};
pub use square_affine::SquareAffine;
pub use squeeze_excite::SqueezeExciteUnit;
pub use tower::Refusal;

pub(crate) use builder::Builder;
pub(crate) use kernels::layers::Shape;
pub(crate) use operation::Export;

use operation::Operation;

/// The table in a recipe that describes one kind of layer.
pub(crate) trait Kind {
    /// Checks the numbers in the table.
    fn check(&self) -> Result<(), Unfit> {
        Ok(())
    }

    /// Appends its layers to the list, with `input` as the place they read; returns the place of the output. The last
    /// layer is named `name`.
    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError>;
}

/// Kinds that are a layer by themselves, whatever numbers their tables have.
macro_rules! single_layers {
    ($($kind:ty),*) => { $(
        impl Kind for $kind {
            fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
                builder.add(name, *self, &[input])
            }
        }
    )* };
}

single_layers!(BatchNorm, Flatten, GroupNorm, LayerNorm, SquareAffine);

/// A number in a layer's table that the layer does not accept.
pub(crate) struct Unfit {
    key: &'static str,
    found: usize,
    /// The numbers that it accepts, in words.
    expected: String,
}

/// Refuses a number outside a range.
fn check_within(key: &'static str, found: usize, accepted: RangeInclusive<usize>) -> Result<(), Unfit> {
    if accepted.contains(&found) {
        return Ok(());
    }
    Err(Unfit { key, found, expected: format!("{} to {}", accepted.start(), accepted.end()) })
}

macro_rules! layer_kinds {
    ($($(#[$documentation:meta])* $name:ident($kind:ty),)*) => {
        /// Every kind of layer that a list may contain; `kind` is its name in kebab case.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case", tag = "kind")]
        pub enum LayerKind {
            $($(#[$documentation])* $name($kind),)*
        }

        impl LayerKind {
            fn kind(&self) -> &dyn Kind {
                match self {
                    $(Self::$name(kind) => kind,)*
                }
            }
        }
    };
}

layer_kinds! {
    /// An activation function: [`Activate`]
    Activation(Activate),
    /// Attention among the squares: [`Attention`]
    Attention(Attention),
    /// Batch normalisation: [`BatchNorm`]
    BatchNorm(BatchNorm),
    /// 1x1, 3x3 and 1x1 convolutions with a skip connection: [`Bottleneck`]
    Bottleneck(Bottleneck),
    /// A convolution over the board: [`Convolution`]
    Convolution(Convolution),
    /// A fully connected layer: [`Dense`]
    Dense(Dense),
    /// Channels from the whole board: [`DenseEmbedding`]
    DenseEmbedding(DenseEmbedding),
    /// Dropout, in training only: [`Dropout`]
    Dropout(Dropout),
    /// A layer of a transformer's encoder: [`Encoder`]
    Encoder(Encoder),
    /// A board flattened to one row of values: [`Flatten`]
    Flatten(Flatten),
    /// Group normalisation: [`GroupNorm`]
    GroupNorm(GroupNorm),
    /// Layer normalisation: [`LayerNorm`]
    LayerNorm(LayerNorm),
    /// The input's extra numbers, which have no squares: [`Numbers`]
    Numbers(Numbers),
    /// Maximum or mean over windows: [`Pool`]
    Pool(Pool),
    /// Layers with a skip connection: [`Residual`]
    Residual(Residual),
    /// Scale and shift for each square: [`SquareAffine`]
    SquareAffine(SquareAffine),
    /// Channels scaled by factors computed from the whole board: [`SqueezeExciteUnit`]
    SqueezeExcite(SqueezeExciteUnit),
}

/// A layer as a recipe writes it: `{ kind = "dense", units = 256 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// A name by which a [`Residual`] can refer to this layer. Default: its path in the recipe, such as `body.3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The kind of layer with its options.
    #[serde(flatten)]
    pub layer: LayerKind,
}

/// One layer of the list.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) name: String,
    pub(crate) operation: Arc<dyn Operation>,
    /// The places the layer reads.
    pub(crate) inputs: Vec<usize>,
    pub(crate) shape: Shape,
    /// The range of its parameters in the network's list.
    pub(crate) parameters: Range<usize>,
    /// The index of its running statistics in the network's list.
    pub(crate) statistics: Option<usize>,
}

/// The layers of a network in the order of computation. A place is an input or the output of a layer: the planes are
/// place 0, the extra numbers (if any) place 1, followed by the output of each layer.
#[derive(Clone, Debug)]
pub(crate) struct LayerList {
    pub(crate) inputs: Vec<Shape>,
    /// The channel to which each plane of the encoding belongs; the channels of the extra numbers come last.
    pub(crate) channels: Vec<usize>,
    pub(crate) layers: Vec<Layer>,
    /// The place read by the heads.
    pub(crate) trunk: usize,
    /// The places of the heads' outputs, all flat.
    pub(crate) policy: Option<usize>,
    pub(crate) value: Option<usize>,
    pub(crate) moves_left: Option<usize>,
    pub(crate) parameters: Vec<ParameterShape>,
    pub(crate) statistics: Vec<StatisticsShape>,
}

impl LayerList {
    pub(crate) fn shape(&self, place: usize) -> Shape {
        shape_of(&self.inputs, &self.layers, place)
    }

    /// The layers in the form that the kernels take, with all heads as outputs: policy, value, moves left, as far as they exist.
    pub(crate) fn for_play(&self) -> kernels::layers::List {
        self.for_kernels([self.policy, self.value, self.moves_left].into_iter().flatten().collect())
    }

    /// The layers in the form that the kernels take, with `outputs` as the output places.
    pub(crate) fn for_kernels(&self, outputs: Vec<usize>) -> kernels::layers::List {
        let mut steps = Vec::with_capacity(self.layers.len());
        for layer in &self.layers {
            steps.push(kernels::layers::Step {
                operation: layer.operation.operator().kernel(&self.input_shapes(layer)),
                inputs: layer.inputs.clone(),
                shape: layer.shape,
                parameters: layer.parameters.clone(),
                statistics: layer.statistics,
            });
        }
        let (inputs, channels) = (self.inputs.clone(), self.channels.clone());
        kernels::layers::List { inputs, channels, steps, outputs }
    }

    /// Multiply-adds of one position: those of the matrices, and of the products between squares.
    pub(crate) fn multiply_adds(&self) -> u64 {
        self.layers.iter().map(|layer| self.multiply_adds_of(layer)).sum()
    }

    fn multiply_adds_of(&self, layer: &Layer) -> u64 {
        let matrices = self.parameters[layer.parameters.clone()].iter();
        let weights = matrices.filter(|matrix| matrix.name.ends_with(".weight"));
        let weights: usize = weights.map(ParameterShape::size).sum();
        let products = match layer.operation.operator() {
            // Queries with keys, and scores with values.
            Operator::Attention { .. } => 2 * SQUARES * SQUARES * self.shape(layer.inputs[0]).channels,
            Operator::MoveScores => SQUARES * SQUARES * self.shape(layer.inputs[0]).channels,
            _ => 0,
        };
        (weights * layer.shape.squares() + products) as u64
    }

    pub(crate) fn input_shapes(&self, layer: &Layer) -> Vec<Shape> {
        layer.inputs.iter().map(|place| self.shape(*place)).collect()
    }
}

/// The shape of a place: places count the inputs first and then the layers.
fn shape_of(inputs: &[Shape], layers: &[Layer], place: usize) -> Shape {
    match place.checked_sub(inputs.len()) {
        None => inputs[place],
        Some(layer) => layers[layer].shape,
    }
}

/// The seed of a layer's random numbers in one step.
pub(crate) fn layer_noise(noise: Option<u64>, layer: usize) -> Option<u64> {
    noise.map(|noise| noise.wrapping_add(spread(layer as u64)))
}

#[cfg(test)]
pub(crate) mod tests;
