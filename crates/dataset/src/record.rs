//! Records of sources: whole games, or single labelled positions, with everything that their labels need.

mod eco;
mod game;
mod label_doubt;
mod origin;
mod players;
mod position;
mod recorded_move;
mod time_control;
mod winner;

use chess::{Chess, plies_before};

pub use eco::Eco;
pub use game::GameRecord;
pub use label_doubt::{LabelDoubt, LabelDoubts};
pub use origin::{Origin, Place};
pub use players::{Identity, Players};
pub use position::{PositionRecord, UnlabelledPosition};
pub use recorded_move::{RecordedMove, SearchEffort};
pub use time_control::TimeControl;
pub use winner::Winner;

/// One record of a source.
#[expect(clippy::large_enum_variant, reason = "most records are games, and one is held at a time")]
#[derive(Clone, Debug)]
pub enum Record {
    /// A whole game.
    Game(GameRecord),
    /// A position that is part of no game.
    Position(Box<PositionRecord>),
    /// A position without any label.
    Unlabelled(Box<UnlabelledPosition>),
}

/// Plies before a position by its own move number.
pub fn ply(position: &Chess) -> u16 {
    u16::try_from(plies_before(position)).unwrap_or(u16::MAX)
}
