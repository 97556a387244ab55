//! Networks that are any list of layers: convolutions of every size, normalisations, skip connections, pooling, dense layers.
//!
//! Everything is 32-bit floats. Numbers of a position lie square by square, the channels of each in whole vectors; a place has those of
//! all positions one after another. A convolution is a product of matrices whose left side is gathered from the windows (3x3 kernels over
//! a whole board are computed by Winograd's algorithm); everything that is added up over a batch is added up in an order that does
//! not depend on the number of threads.
//!
//! From the bottom: `work` (threads), `rows` (functions of numbers), `windows`, `convolution`, `normalise`, `pooling`, `rearrange`
//! (kinds of layers), `list` (what a caller says), `memory`, `layer`, `compiled` (a list on an instruction set), `folded` (a list in play), `training`, `play`.

mod compiled;
mod convolution;
mod dispatch;
mod folded;
mod layer;
mod list;
mod memory;
mod normalise;
mod play;
mod pooling;
mod rearrange;
mod rows;
mod training;
mod windows;
mod work;

pub use compiled::Factors;
pub use list::{List, Operation, Pooling, Shape, Step, Window};
pub use play::{LayersArena, PlayLayers};
pub use training::TrainingLayers;

/// Why a layer has packed weights.
const PACKED: &str = "layers are packed before they run";

#[cfg(test)]
mod tests;
