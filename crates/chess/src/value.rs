//! Values with the point of view in the type: every [`Wdl`] and [`Score`] is for the side to move.

mod score;
mod wdl;

pub use score::Score;
pub use wdl::Wdl;
