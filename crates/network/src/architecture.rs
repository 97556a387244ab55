//! The parameters of a specification: names, order and shapes.
//!
//! A convolution weight is a matrix `[9 * channels_in, channels_out]`. Its row `tap * channels_in + channel` belongs to the
//! neighbour at `tap = (rank step + 1) * 3 + (file step + 1)`.

use crate::{
    NetworkError,
    policy_map::{POLICY_PLANES, PolicyMap},
    spec::{PolicyHead, Spec, Stem},
};

/// Squares of a board: rows of an activation matrix for each position.
pub(crate) const SQUARES: usize = 64;

/// Squares that a 3x3 convolution reads.
pub(crate) const TAPS: usize = 9;

/// Added to the variance before the root, as in the batch-normalisation paper (arXiv 1502.03167); the usual value.
pub(crate) const EPSILON: f32 = 1e-5;

/// What a parameter does; decides its initial value and whether weight decay shrinks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The matrix of a convolution or fully connected layer. `gain` scales its He initialisation.
    Weight { gain: Gain },
    /// The factor of a normalisation: starts at one.
    Scale,
    /// A number that is added: starts at zero.
    Bias,
}

/// How large weights start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gain {
    /// Variance 2 / inputs (He et al., arXiv 1502.01852).
    Hidden,
    /// A tenth of that deviation: heads that start close to their baseline.
    Output,
}

/// Name and shape of one parameter; every parameter is a matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ParameterShape {
    /// Path of the layer and the kind: `block3.second.weight`.
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// Name and channels of one normalisation, whose running moments are `[2, channels]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StatisticsShape {
    pub(crate) name: String,
    pub(crate) channels: usize,
}

/// A matrix product over the board or over its squares, then normalisation. Numbers are positions in the lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NormalisedLayer {
    pub(crate) kernel: Kernel,
    pub(crate) weight: usize,
    pub(crate) scale: usize,
    pub(crate) shift: usize,
    pub(crate) statistics: usize,
}

/// Whether a layer sees a square's neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// 3x3.
    Board,
    /// 1x1.
    Square,
}

/// A matrix product with a bias.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BiasedLayer {
    pub(crate) kernel: Kernel,
    pub(crate) weight: usize,
    pub(crate) bias: usize,
}

/// Two convolutions, perhaps a squeeze-and-excitation unit, and the skip connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) first: NormalisedLayer,
    pub(crate) second: NormalisedLayer,
    pub(crate) excite: Option<[BiasedLayer; 2]>,
}

/// A convolution and two fully connected layers: the shape of value and moves-left heads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PooledLayers {
    pub(crate) first: NormalisedLayer,
    pub(crate) hidden: BiasedLayer,
    pub(crate) last: BiasedLayer,
}

/// The layers of a network.
#[derive(Clone, Debug)]
pub(crate) struct Architecture {
    pub(crate) spec: Spec,
    pub(crate) planes: usize,
    /// Length of the policy.
    pub(crate) moves: usize,
    pub(crate) parameters: Vec<ParameterShape>,
    pub(crate) statistics: Vec<StatisticsShape>,
    pub(crate) stem: NormalisedLayer,
    pub(crate) blocks: Vec<Block>,
    pub(crate) policy_first: NormalisedLayer,
    pub(crate) policy_last: BiasedLayer,
    pub(crate) value: PooledLayers,
    pub(crate) moves_left: Option<PooledLayers>,
    pub(crate) policy_map: PolicyMap,
}

impl Architecture {
    /// Lays out a checked specification.
    pub(crate) fn new(spec: &Spec) -> Result<Self, NetworkError> {
        spec.check("specification")?;
        let planes = spec.input_encoding()?.planes();
        let moves = spec.move_encoding()?;
        let channels = spec.channels;
        let mut lists = Lists::default();
        let stem_kernel = match spec.stem {
            Stem::Convolution => Kernel::Board,
            Stem::Pointwise => Kernel::Square,
        };
        let stem = lists.normalised("stem", stem_kernel, planes, channels);
        let blocks = (0..spec.blocks).map(|number| lists.block(spec, number)).collect();
        let (policy_first, policy_last, policy_map) = match spec.policy {
            PolicyHead::Convolution { .. } | PolicyHead::Pointwise => {
                let (kernel, narrow) = match spec.policy {
                    PolicyHead::Convolution { channels: narrow } => {
                        (Kernel::Board, narrow.unwrap_or(channels))
                    }
                    _ => (Kernel::Square, channels),
                };
                let first = lists.normalised("policy.first", kernel, channels, narrow);
                let last = lists.biased("policy.last", kernel, (narrow, POLICY_PLANES), Gain::Output);
                (first, last, PolicyMap::planes(moves))
            }
            PolicyHead::Dense { channels: narrow } => {
                let first = lists.normalised("policy.first", Kernel::Square, channels, narrow);
                let size = moves.size();
                let last =
                    lists.biased("policy.last", Kernel::Square, (narrow * SQUARES, size), Gain::Output);
                (first, last, PolicyMap::dense(moves))
            }
        };
        let head = spec.value;
        let value = lists.pooled("value", channels, (head.channels, head.hidden), head.kind.outputs());
        let moves_left =
            spec.moves_left.map(|head| lists.pooled("moves_left", channels, (head.channels, head.hidden), 1));
        let Lists { parameters, statistics } = lists;
        Ok(Self {
            spec: spec.clone(),
            planes,
            moves: moves.size(),
            parameters,
            statistics,
            stem,
            blocks,
            policy_first,
            policy_last,
            value,
            moves_left,
            policy_map,
        })
    }

    /// The layers with normalisation.
    pub(crate) fn normalised_layers(&self) -> impl Iterator<Item = NormalisedLayer> {
        let blocks = self.blocks.iter().flat_map(|block| [block.first, block.second]);
        let heads = [Some(self.policy_first), Some(self.value.first), self.moves_left.map(|head| head.first)];
        std::iter::once(self.stem).chain(blocks).chain(heads.into_iter().flatten())
    }
}

impl Spec {
    /// Number of trained numbers, normalisation included, running statistics not.
    ///
    /// # Errors
    /// As [`Spec::check`].
    pub fn parameter_count(&self) -> Result<usize, NetworkError> {
        Ok(Architecture::new(self)?.parameters.iter().map(|shape| shape.rows * shape.columns).sum())
    }
}

#[derive(Default)]
struct Lists {
    parameters: Vec<ParameterShape>,
    statistics: Vec<StatisticsShape>,
}

impl Lists {
    fn parameter(&mut self, name: String, role: Role, rows: usize, columns: usize) -> usize {
        self.parameters.push(ParameterShape { name, role, rows, columns });
        self.parameters.len() - 1
    }

    fn normalised(&mut self, name: &str, kernel: Kernel, inputs: usize, outputs: usize) -> NormalisedLayer {
        let rows = kernel.taps() * inputs;
        let weight = Role::Weight { gain: Gain::Hidden };
        self.statistics.push(StatisticsShape { name: format!("{name}.moments"), channels: outputs });
        NormalisedLayer {
            kernel,
            weight: self.parameter(format!("{name}.weight"), weight, rows, outputs),
            scale: self.parameter(format!("{name}.scale"), Role::Scale, 1, outputs),
            shift: self.parameter(format!("{name}.shift"), Role::Bias, 1, outputs),
            statistics: self.statistics.len() - 1,
        }
    }

    fn biased(
        &mut self,
        name: &str,
        kernel: Kernel,
        (inputs, outputs): (usize, usize),
        gain: Gain,
    ) -> BiasedLayer {
        let rows = kernel.taps() * inputs;
        BiasedLayer {
            kernel,
            weight: self.parameter(format!("{name}.weight"), Role::Weight { gain }, rows, outputs),
            bias: self.parameter(format!("{name}.bias"), Role::Bias, 1, outputs),
        }
    }

    fn pooled(
        &mut self,
        name: &str,
        channels: usize,
        (narrow, hidden): (usize, usize),
        outputs: usize,
    ) -> PooledLayers {
        let flat = narrow * SQUARES;
        PooledLayers {
            first: self.normalised(&format!("{name}.first"), Kernel::Square, channels, narrow),
            hidden: self.biased(&format!("{name}.hidden"), Kernel::Square, (flat, hidden), Gain::Hidden),
            last: self.biased(&format!("{name}.last"), Kernel::Square, (hidden, outputs), Gain::Output),
        }
    }

    fn block(&mut self, spec: &Spec, number: usize) -> Block {
        let channels = spec.channels;
        let name = format!("block{number}");
        let first = self.normalised(&format!("{name}.first"), Kernel::Board, channels, channels);
        let second = self.normalised(&format!("{name}.second"), Kernel::Board, channels, channels);
        let excite = spec.squeeze_excite.applies_to(number).then(|| {
            let hidden = spec.squeeze_excite.units(channels);
            let squeeze = format!("{name}.squeeze");
            let excite = format!("{name}.excite");
            [
                self.biased(&squeeze, Kernel::Square, (channels, hidden), Gain::Hidden),
                self.biased(&excite, Kernel::Square, (hidden, 2 * channels), Gain::Output),
            ]
        });
        Block { first, second, excite }
    }
}

impl Kernel {
    fn taps(self) -> usize {
        match self {
            Self::Board => TAPS,
            Self::Square => 1,
        }
    }
}
