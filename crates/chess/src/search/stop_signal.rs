//! The signal that ends a running search.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

const RUNNING: u8 = 0;
const PONDER_HIT: u8 = 1;
const STOPPED: u8 = 2;

/// Signals stop or ponder hit to a running search. Clones share the signal.
///
/// The state only moves forward, running -> ponder hit -> stopped: a ponder hit is a compare-and-swap, so one that comes after a
/// stop cannot take the stop back. The signal is polled and publishes no data.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<AtomicU8>);

impl StopSignal {
    /// Ends the search at the next opportunity, within 50 ms.
    pub fn stop(&self) {
        self.0.store(STOPPED, Ordering::Release);
    }

    /// The opponent played the expected move: the clock limits apply from now on. No effect after [`StopSignal::stop`].
    pub fn ponder_hit(&self) {
        let _ = self.0.compare_exchange(RUNNING, PONDER_HIT, Ordering::AcqRel, Ordering::Acquire);
    }

    /// True if [`StopSignal::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Acquire) == STOPPED
    }

    /// True if [`StopSignal::ponder_hit`] was called.
    pub fn is_ponder_hit(&self) -> bool {
        self.0.load(Ordering::Acquire) == PONDER_HIT
    }
}
