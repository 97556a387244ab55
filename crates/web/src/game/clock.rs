//! The clock of a game. The server keeps it, so no page can lose or win time.

use std::time::{Duration, Instant};

use chess::Color;

/// A duration in milliseconds, the unit of every time in messages and files.
pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Both sides' time. The clock of one side runs, or neither does.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameClock {
    white: Duration,
    black: Duration,
    increment: Duration,
    running: Option<(Color, Instant)>,
}

impl GameClock {
    /// A stopped clock with this much time on each side.
    pub(super) fn new(white: Duration, black: Duration, increment: Duration) -> Self {
        Self { white, black, increment, running: None }
    }

    /// Time left for a side at `now`.
    pub(super) fn left(&self, side: Color, now: Instant) -> Duration {
        let kept = side.fold_wb(self.white, self.black);
        match self.running {
            Some((running, since)) if running == side => {
                kept.saturating_sub(now.saturating_duration_since(since))
            }
            _ => kept,
        }
    }

    /// Time left for a side at `now`, milliseconds.
    pub(super) fn left_ms(&self, side: Color, now: Instant) -> u64 {
        milliseconds(self.left(side, now))
    }

    /// True if the running side has no time left at `now`.
    pub(super) fn is_up(&self, now: Instant) -> bool {
        self.running().is_some_and(|side| self.left(side, now).is_zero())
    }

    /// The side whose clock is running; `None` while the clock is stopped.
    pub(super) fn running(&self) -> Option<Color> {
        self.running.map(|(side, _)| side)
    }

    /// Time added after each move.
    pub(super) fn increment(&self) -> Duration {
        self.increment
    }

    /// The running side has moved: it gets its increment, and the clock stops.
    pub(super) fn press(&mut self, now: Instant) {
        if let Some(side) = self.running() {
            self.stop(now);
            let increment = self.increment;
            *self.side(side) += increment;
        }
    }

    /// Lets a side's time run.
    pub(super) fn start(&mut self, side: Color, now: Instant) {
        self.stop(now);
        self.running = Some((side, now));
    }

    /// Stops the clock of the running side.
    pub(super) fn stop(&mut self, now: Instant) {
        if let Some(side) = self.running() {
            let left = self.left(side, now);
            *self.side(side) = left;
            self.running = None;
        }
    }

    fn side(&mut self, side: Color) -> &mut Duration {
        match side {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_side_to_move_loses_time_and_gets_the_increment() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut clock =
            GameClock::new(Duration::from_mins(3), Duration::from_mins(3), Duration::from_secs(2));
        assert_eq!(clock.left(Color::White, at(50)).as_secs(), 180, "a standing clock loses nothing");
        clock.start(Color::White, at(0));
        assert_eq!(clock.left(Color::White, at(10)).as_secs(), 170);
        assert_eq!(clock.left(Color::Black, at(10)).as_secs(), 180);
        clock.press(at(10));
        assert_eq!((clock.left(Color::White, at(99)).as_secs(), clock.running()), (172, None));
        clock.start(Color::Black, at(20));
        assert_eq!(clock.left(Color::Black, at(500)), Duration::ZERO, "time never goes below nothing");
        clock.stop(at(50));
        assert_eq!(clock.left(Color::Black, at(99)).as_secs(), 150, "stopping gives no increment");
    }
}
