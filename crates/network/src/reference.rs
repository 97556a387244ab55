//! The forward pass, written to be obviously right: plain loops over `f32`, no tensor library, no instruction sets.
//!
//! It is the oracle of every faster network in this program, and small enough to be checked by reading. Layers take their
//! weights in the layouts of PyTorch and lc0.

mod activation;
mod convolution;
mod dense;
mod evaluator;
mod features;
mod heads;
mod residual;
mod shape;
mod squeeze_excite;

use chess::{
    Wdl,
    encoding::{InputEncoding, MoveEncoding, Plane},
};

pub use activation::Activation;
pub use convolution::Convolution;
pub use dense::Dense;
pub use heads::{PolicyHead, PooledHead};
pub use residual::ResidualBlock;
pub use shape::ShapeError;
pub use squeeze_excite::SqueezeExcite;

use features::Features;
use shape::expect_equal;

/// The layers of a network, in the order of computation.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// From the input planes to the tower's channels.
    pub stem: Convolution,
    /// After the stem.
    pub activation: Activation,
    /// The residual tower.
    pub blocks: Vec<ResidualBlock>,
    /// Move probabilities.
    pub policy: PolicyHead,
    /// Three outputs (win, draw, loss) or one.
    pub value: PooledHead,
    /// One output: half-moves until the game ends; negative counts as zero.
    pub moves_left: Option<PooledHead>,
}

/// A network that evaluates positions slowly and obviously.
#[derive(Clone)]
pub struct ReferenceNetwork {
    name: String,
    input: &'static dyn InputEncoding,
    moves: &'static dyn MoveEncoding,
    layers: Layers,
}

/// The output of the network for one position.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// One number for each index of the move encoding, before softmax.
    pub policy: Vec<f32>,
    /// Value for the side to move.
    pub wdl: Wdl,
    /// Expected half-moves until the game ends.
    pub moves_left: Option<f32>,
}

impl ReferenceNetwork {
    /// A network from its layers, which must fit each other and the encodings. `name` is for logs.
    ///
    /// # Errors
    /// [`ShapeError`] names the first part that does not fit.
    pub fn new(
        name: impl Into<String>,
        input: &'static dyn InputEncoding,
        moves: &'static dyn MoveEncoding,
        layers: Layers,
    ) -> Result<Self, ShapeError> {
        expect_equal("stem's inputs", layers.stem.inputs(), input.planes())?;
        let channels = layers.stem.outputs();
        for (index, block) in layers.blocks.iter().enumerate() {
            expect_equal(&format!("channels of block {index}"), block.channels(), channels)?;
        }
        layers.policy.check(channels, moves.size())?;
        layers.value.check("value", channels)?;
        if !matches!(layers.value.output.outputs(), 1 | 3) {
            let found = layers.value.output.outputs();
            return Err(ShapeError {
                part: "value head's outputs".into(),
                found,
                expected: "3 (win, draw, loss) or 1".into(),
            });
        }
        if let Some(head) = &layers.moves_left {
            head.check("moves-left", channels)?;
            expect_equal("moves-left head's outputs", head.output.outputs(), 1)?;
        }
        Ok(Self { name: name.into(), input, moves, layers })
    }

    /// The name given at construction.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How positions become planes.
    pub fn input(&self) -> &'static dyn InputEncoding {
        self.input
    }

    /// How moves become policy indices.
    pub fn moves(&self) -> &'static dyn MoveEncoding {
        self.moves
    }

    /// The layers.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// Runs the network on one encoded position.
    ///
    /// # Shapes
    /// `planes` is `[input().planes()]`; the policy is `[moves().size()]`.
    pub fn forward(&self, planes: &[Plane]) -> Output {
        let layers = &self.layers;
        let mut board = layers.stem.forward(&Features::from_planes(planes)); // [64][planes] -> [64][channels]
        layers.activation.apply(&mut board.values);
        for block in &layers.blocks {
            board = block.forward(&board);
        }
        Output {
            policy: layers.policy.forward(&board),
            wdl: heads::wdl(layers.value.forward(&board)),
            moves_left: layers.moves_left.as_ref().map(|head| head.forward(&board)[0].max(0.0)),
        }
    }
}

impl std::fmt::Debug for ReferenceNetwork {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let layers = &self.layers;
        formatter
            .debug_struct("ReferenceNetwork")
            .field("name", &self.name)
            .field("input", &self.input.name())
            .field("moves", &self.moves.name())
            .field("channels", &layers.stem.outputs())
            .field("blocks", &layers.blocks.len())
            .finish_non_exhaustive()
    }
}
