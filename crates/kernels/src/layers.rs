//! Networks given as a list of layers: convolutions of every size, normalisations, skip connections, pooling, dense
//! layers.
//!
//! All arithmetic is in 32-bit floats, except the products of convolutions that train in 16 bits or play in eight. The values of a position are stored square by square, with the channels of each
//! square padded to whole vectors. A place holds all positions of the batch one after another. A convolution is a GEMM
//! whose left operand is gathered from the patches; 3x3 kernels over a whole board use Winograd's algorithm instead.
//! Every sum over a batch is accumulated in an order that does not depend on the number of threads, so results are
//! reproducible.
//!
//! From the bottom: `workers` (threads), `element_wise` (functions and sums), `im2col`, `convolution`, `normalise`,
//! `pooling`, `gate`, `rearrange`, `square_wise`, `attention` (kinds of layers), `operation`, `list` (the caller's description), `memory`,
//! `compiled` (a list on an instruction set), `folded` (a list for play), `training`, `play`.

mod attention;
mod compiled;
mod convolution;
mod element_wise;
mod folded;
mod gate;
mod im2col;
mod list;
mod memory;
mod normalise;
mod operation;
mod play;
mod pooling;
mod rearrange;
mod square_wise;
mod training;
mod workers;

pub use compiled::Factors;
pub use list::{List, Shape, Step};
pub use normalise::{EPSILON, NormStatistics};
pub use operation::{MOVE_SCORES, Operation, Patch, Pooling};
pub use play::{EightBitShare, LayersArena, PlayLayers};
pub use training::TrainingLayers;

/// The invariant named in the panic message when packed weights are missing.
const PACKED: &str = "layers are packed before they run";

#[cfg(test)]
mod tests;
