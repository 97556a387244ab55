//! Limits of a player per move: nodes, depth, time, clock.

use std::{fmt, str::FromStr, time::Duration};

use chess::{Clock, Limits};

/// A clock for the whole game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSetting {
    /// Time for all moves, or for each period of `moves`.
    pub base: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves of a period, after which `base` is added again; `None`: one period for the game.
    pub moves: Option<u32>,
}

/// The limits of a player for each of its moves; all that are set apply. Without any limit the player decides, which only
/// suits players that do not search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Nodes per move.
    pub nodes: Option<u64>,
    /// Depth per move, in plies.
    pub depth: Option<u32>,
    /// Time per move.
    pub move_time: Option<Duration>,
    /// A clock for the game.
    pub clock: Option<ClockSetting>,
}

/// A text is not a clock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not a clock; expected [MOVES/]SECONDS[+INCREMENT], such as 10+0.1 or 40/60")]
#[allow(missing_docs, reason = "the message says what the fields hold")]
pub struct PaceError {
    pub found: String,
}

impl FromStr for ClockSetting {
    type Err = PaceError;

    /// Reads `[MOVES/]SECONDS[+INCREMENT]`, the notation of cutechess and fastchess.
    fn from_str(text: &str) -> Result<Self, PaceError> {
        let clock = Self::parse(text).filter(|clock| !clock.base.is_zero() && clock.moves != Some(0));
        clock.ok_or_else(|| PaceError { found: text.into() })
    }
}

impl ClockSetting {
    fn parse(text: &str) -> Option<Self> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(moves.parse().ok()?), rest),
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        Some(Self { base: seconds(base)?, increment: seconds(increment)?, moves })
    }
}

fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

impl fmt::Display for ClockSetting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(formatter, "{moves}/")?;
        }
        write!(formatter, "{}+{}", self.base.as_secs_f64(), self.increment.as_secs_f64())
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.nodes.map(|nodes| format!("{nodes} nodes")),
            self.depth.map(|depth| format!("depth {depth}")),
            self.move_time.map(|time| format!("{} ms", time.as_millis())),
            self.clock.map(|clock| format!("clock {clock}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        formatter.write_str(&if parts.is_empty() { "no limit".into() } else { parts.join(", ") })
    }
}

impl Pace {
    /// The limits of the first move of a game.
    pub fn limits(&self) -> Limits {
        RunningClock::new(*self).limits()
    }
}

/// One player's clock in a running game.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunningClock {
    pace: Pace,
    remaining: Duration,
    moves_to_go: Option<u32>,
}

impl RunningClock {
    pub(super) fn new(pace: Pace) -> Self {
        let clock = pace.clock;
        Self {
            pace,
            remaining: clock.map_or(Duration::ZERO, |clock| clock.base),
            moves_to_go: clock.and_then(|clock| clock.moves),
        }
    }

    /// The limits of the next move.
    pub(super) fn limits(&self) -> Limits {
        let clock = self.pace.clock.map(|setting| Clock {
            remaining: self.remaining,
            increment: setting.increment,
            moves_to_go: self.moves_to_go,
        });
        Limits {
            nodes: self.pace.nodes,
            depth: self.pace.depth,
            move_time: self.pace.move_time,
            clock,
            ..Limits::default()
        }
    }

    /// The time the next move may take; `None` if only nodes or depth limit it.
    pub(super) fn allowance(&self) -> Option<Duration> {
        let clock = self.pace.clock.map(|_| self.remaining);
        [self.pace.move_time, clock].into_iter().flatten().min()
    }

    /// Subtracts the time of a move within its allowance; the margin is not subtracted.
    pub(super) fn charge(&mut self, elapsed: Duration) {
        let Some(clock) = self.pace.clock else { return };
        self.remaining = self.remaining.saturating_sub(elapsed).saturating_add(clock.increment);
        if let Some(moves) = clock.moves {
            let left = self.moves_to_go.unwrap_or(moves).saturating_sub(1);
            if left == 0 {
                // Time left over is kept, as in tournaments with several periods.
                self.remaining = self.remaining.saturating_add(clock.base);
            }
            self.moves_to_go = Some(if left == 0 { moves } else { left });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_and_written() {
        for (text, written) in [("10+0.1", "10+0.1"), ("40/60", "40/60+0"), ("0.5", "0.5+0")] {
            assert_eq!(text.parse::<ClockSetting>().unwrap().to_string(), written);
        }
        for text in ["", "x", "-1", "0", "0/10", "10+", "10+x", "1/2/3", "1e30"] {
            assert_eq!(text.parse::<ClockSetting>(), Err(PaceError { found: text.into() }), "{text}");
        }
    }

    #[test]
    fn a_clock_runs() {
        let pace = Pace { clock: Some("2/10+1".parse().unwrap()), ..Pace::default() };
        let mut clock = RunningClock::new(pace);
        let mut remaining = vec![];
        for _ in 0..3 {
            clock.charge(Duration::from_secs(4));
            let limits = clock.limits().clock.unwrap();
            remaining.push((limits.remaining.as_secs(), limits.moves_to_go.unwrap()));
        }
        assert_eq!(remaining, [(7, 1), (14, 2), (11, 1)]);
        assert_eq!(clock.allowance(), Some(Duration::from_secs(11)));
    }
}
