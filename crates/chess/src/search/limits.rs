//! Limits at which a search ends.

use std::time::Duration;

use shakmaty::Move;

/// Visits per move if no limit is set: those of AlphaZero's self-play (Silver et al. 2017, "Mastering chess
/// and shogi by self-play", "Configuration") and one of lc0's first training games.
pub const DEFAULT_NODES: u64 = 800;

/// Limits of a search. Empty limits mean "until stopped".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Stop after this many visits of the root.
    pub nodes: Option<u64>,
    /// Stop when this depth is reached (for tree searches: the length of the principal variation).
    pub depth: Option<u32>,
    /// Stop when a mate in this many moves is proven.
    pub mate: Option<u32>,
    /// Think this long, less the time that the search reserves for sending its answer.
    pub move_time: Option<Duration>,
    /// Think as a player with this clock would.
    pub clock: Option<Clock>,
    /// Never stop before [`StopSignal::stop`](super::StopSignal::stop), even when nothing is left to find out.
    pub infinite: bool,
    /// Think on the opponent's time: as `infinite` until [`StopSignal::ponder_hit`](super::StopSignal::ponder_hit), then under the other limits.
    pub ponder: bool,
    /// Consider only these root moves; all when empty.
    pub search_moves: Vec<Move>,
}

/// The clocks of both sides, as UCI's `wtime`, `btime`, `winc`, `binc` and `movestogo` give them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left for the side to move.
    pub remaining: Duration,
    /// Time added after each move of the side to move.
    pub increment: Duration,
    /// Moves until the next time control, if there is one.
    pub moves_to_go: Option<u32>,
}
