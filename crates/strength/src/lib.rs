//! Players, matches and measured ratings: who plays, how games are paired and judged, and what the results prove.

pub mod campaign;
pub mod comparison;
pub mod ladder;
mod lines;
mod machine;
pub mod matches;
mod measured_curve;
pub mod metrics;
pub mod opening;
pub mod panel;
pub mod player;
pub mod puzzles;
pub mod report;
pub mod sample;
pub mod statistics;
pub mod strength_table;
pub mod suite;
pub mod table;
pub mod tournament;
pub mod tuning;

pub use lines::LineError;
pub use machine::machine;
pub use matches::{Contestant, GameRecord, Match, MatchSettings, MatchSummary, Pace};
pub use measured_curve::{MeasuredCurve, MeasuredPoint, draw_measured_curves};
pub use opening::{Opening, OpeningBook};
pub use player::{Choice, MoveInfo, Player, PlayerError, PlayerFactory};
pub use strength_table::{StrengthLevel, StrengthSetting, StrengthTable};
