//! Measuring strength: resumable matches, ratings, test suites, reports.
//!
//! A [`player::Player`] chooses moves, a [`Contestant`] builds players, one for each concurrent game, and
//! holds their limits, and a [`campaign::Entrant`] is a contestant with its origin for reports.
//!
//! # Examples
//! The difference in Elo that 100 pairs of games show, with its confidence interval:
//! ```
//! use strength::statistics::{EloText, PairTally, elo_from_pairs};
//!
//! // Pairs in which the player won 0, 1/2, 1, 3/2 and 2 points.
//! let pairs = PairTally([2, 3, 35, 15, 45]);
//! let elo = elo_from_pairs(pairs).ok_or("no pairs")?;
//! assert_eq!(elo.score, 0.745);
//! assert_eq!(EloText(elo).to_string(), "+186.2 (95 %: +141.9 to +236.9, from pairs)");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

pub mod campaign;
pub mod comparison;
pub mod ladder;
mod lines;
pub mod matches;
pub mod metrics;
pub mod opening;
pub mod panel;
pub mod player;
pub mod puzzles;
pub mod report;
pub mod statistics;
pub mod strength_table;
pub mod suite;
pub mod tournament;
pub mod tuning;

pub use lines::{LineError, Positions, Skipped};
pub use matches::{Contestant, Match, MatchGame, MatchSettings, MatchSummary, Pace, machine};
pub use opening::{MatchOpening, OpeningBook};
pub use player::{Choice, MoveInfo, Player, PlayerError, PlayerFactory};
pub use strength_table::{StrengthLevel, StrengthSetting, StrengthTable};
pub use suite::{Problems, read_problems};
