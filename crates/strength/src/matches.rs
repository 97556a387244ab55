//! Matches between two players: every opening with both colours, every game with the reason for its end.
//!
//! ```
//! use strength::{Match, MatchSettings, Contestant, OpeningBook, player::{MATERIAL, RANDOM}};
//! use chess::StopSignal;
//!
//! let planned = Match {
//!     contestants: [
//!         Contestant::new("material", || Ok(MATERIAL.build())),
//!         Contestant::new("random", || Ok(RANDOM.build())),
//!     ],
//!     openings: OpeningBook::balanced(1)?,
//!     settings: MatchSettings { games: 4, ..MatchSettings::default() },
//! };
//! let summary = planned.play(&StopSignal::default(), &mut |_record, _standing| Ok(()))?;
//! assert_eq!(summary.standing.games().games(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adjudication;
mod conditions;
mod game;
mod match_;
mod match_game;
mod pace;
mod report;
mod settings;
mod summary;
mod termination;

pub use adjudication::{Adjudication, Adjudicator, DrawRule, EndgameTable, ResignRule};
pub use conditions::{ContestantConditions, MatchConditions, given_name, machine};
pub use match_::Match;
pub use match_game::{MatchGame, MatchMove, Side};
pub use pace::{ClockSetting, Pace, PaceError};
pub use report::{MatchReport, MoveTimes, OutcomeTable, SprtReport, TerminationCount};
pub use settings::{Contestant, MatchError, MatchSettings};
pub use summary::{EarlyEnd, GameSummary, MatchSummary, Timing};
pub use termination::{Termination, TerminationKind};
