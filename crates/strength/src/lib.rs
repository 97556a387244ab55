//! Players, matches and measured ratings: who plays, how games are paired and judged, and what the results prove.

pub mod matches;
pub mod opening;
pub mod player;
pub mod report;
pub mod statistics;

pub use matches::{Contestant, GameRecord, Match, MatchSettings, MatchSummary, Pace};
pub use opening::{Opening, OpeningBook};
pub use player::{Choice, MoveInfo, Player, PlayerError, PlayerFactory};
