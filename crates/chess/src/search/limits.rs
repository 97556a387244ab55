//! The ends of a search: limits, and the signal to stop.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

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
    /// Stop when a mate in this many moves, from 1, is proven.
    pub mate: Option<u32>,
    /// Think this long, less the time that the search reserves for sending its answer.
    pub move_time: Option<Duration>,
    /// Think as a player with this clock would.
    pub clock: Option<Clock>,
    /// Never stop before [`StopSignal::stop`], even when nothing is left to find out.
    pub infinite: bool,
    /// Think on the opponent's time: as `infinite` until [`StopSignal::ponder_hit`], then under the other limits.
    pub ponder: bool,
    /// Consider only these root moves; all when empty.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// True if a limit can end the search; otherwise only [`StopSignal::stop`] does.
    pub fn has_limit(&self) -> bool {
        self.nodes.is_some()
            || self.depth.is_some()
            || self.mate.is_some()
            || self.move_time.is_some()
            || self.clock.is_some()
    }
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

/// Signals stop or ponder hit to a running search. Clones share the signal.
///
/// A stop is final: it overrides a ponder hit before or after it. The signal is polled and publishes no data but the time of the
/// ponder hit.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<Signalled>);

#[derive(Debug, Default)]
struct Signalled {
    stopped: AtomicBool,
    /// The first one.
    ponder_hit: OnceLock<Instant>,
}

impl StopSignal {
    /// Ends the search at the next opportunity, within 50 ms.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Release);
    }

    /// The opponent played the expected move: the clock limits apply from now on. No effect after [`StopSignal::stop`].
    pub fn ponder_hit(&self) {
        self.0.ponder_hit.get_or_init(Instant::now);
    }

    /// True if [`StopSignal::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Acquire)
    }

    /// True if [`StopSignal::ponder_hit`] was called, and [`StopSignal::stop`] was not.
    pub fn is_ponder_hit(&self) -> bool {
        self.ponder_hit_at().is_some()
    }

    /// When [`StopSignal::ponder_hit`] was called: a search that polls late still counts its time from there.
    pub fn ponder_hit_at(&self) -> Option<Instant> {
        self.0.ponder_hit.get().copied().filter(|_| !self.is_stopped())
    }
}
