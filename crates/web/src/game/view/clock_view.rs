//! The clocks as the page sees them.

use std::time::Instant;

use chess::Color;
use serde::Serialize;
use utoipa::ToSchema;

use super::ColorView;
use crate::game::clock::GameClock;

/// The clocks at the moment of the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ClockView {
    /// White's time left, milliseconds.
    pub(crate) white_ms: u64,
    /// Black's time left, milliseconds.
    pub(crate) black_ms: u64,
    /// Time of each side at the start, milliseconds.
    pub(crate) initial_ms: u64,
    /// Added after each move, milliseconds.
    pub(crate) increment_ms: u64,
    /// The side whose clock is running; `null` while the clock is stopped.
    pub(crate) running: Option<ColorView>,
}

impl ClockView {
    pub(super) fn new(clock: &GameClock, initial_ms: u64) -> Self {
        let now = Instant::now();
        let left = |side| u64::try_from(clock.left(side, now).as_millis()).unwrap_or(u64::MAX);
        Self {
            white_ms: left(Color::White),
            black_ms: left(Color::Black),
            initial_ms,
            increment_ms: u64::try_from(clock.increment().as_millis()).unwrap_or(u64::MAX),
            running: clock.running().map(ColorView::from),
        }
    }
}
