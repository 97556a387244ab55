//! How much of a clock to spend on one move.

use std::time::Duration;

use chess::Clock;

/// The time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Spend this much when the choice is settled.
    pub optimum: Duration,
    /// Never spend more than this, however unsettled the choice is.
    pub maximum: Duration,
}

/// What a budget depends on besides the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeSettings {
    /// Kept back on every move for the interface and the connection.
    pub overhead: Duration,
    /// Scales the optimum; 1 is neutral.
    pub slow_mover: f32,
}

// lc0's legacy time manager: game lengths in moves follow a log-logistic distribution with this median and steepness.
const MIDPOINT: f64 = 51.5;
const STEEPNESS: f64 = 7.0;
// An unsettled choice may take this many times the optimum (judgement; lc0's and Stockfish's limits lie between 2 and 5) ...
const STRETCH: f64 = 2.5;
// ... but at most this share of what is left, so that one hard move cannot ruin the game.
const LARGEST_SHARE: f64 = 0.5;

/// The time for the next move, as a player with this clock would spend it. `move_number` counts from 1 as in a FEN.
///
/// The clock and the increments still to come are spread evenly over the moves to the next time control or, without
/// one, over the expected rest of the game. The maximum never exceeds what remains less the overhead.
pub fn allocate(clock: &Clock, move_number: u32, settings: TimeSettings) -> Budget {
    let available = clock.remaining.saturating_sub(settings.overhead).as_secs_f64();
    let moves = match clock.moves_to_go {
        Some(moves) => f64::from(moves.max(1)),
        None => expected_moves_left(move_number),
    };
    let gain = clock.increment.saturating_sub(settings.overhead).as_secs_f64();
    let even_share = (available + gain * (moves - 1.0)) / moves * f64::from(settings.slow_mover);
    let last_before_control = moves < 2.0;
    let ceiling = if last_before_control { available } else { available * LARGEST_SHARE };
    let optimum = even_share.min(ceiling);
    let maximum = (optimum * STRETCH).min(ceiling);
    let limit = clock.remaining.saturating_sub(settings.overhead);
    Budget { optimum: seconds(optimum).min(limit), maximum: seconds(maximum).min(limit) }
}

/// The moves a game is expected to last from move `move_number` on: the median residual life of the log-logistic
/// distribution of game lengths (lc0, `EstimateMovesToGo`).
pub fn expected_moves_left(move_number: u32) -> f64 {
    let played = f64::from(move_number.clamp(1, 1000)) - 1.0;
    MIDPOINT * (1.0 + 2.0 * (played / MIDPOINT).powf(STEEPNESS)).powf(1.0 / STEEPNESS) - played
}

fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::ZERO)
}
