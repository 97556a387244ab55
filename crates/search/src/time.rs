//! Time management: the share of a clock for one move, and the clock of a search in progress.

mod manager;

use std::time::Duration;

use chess::Clock;

use crate::tunables::tunables;

pub(crate) use manager::TimeManager;

/// The time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Spend this much when the choice is settled.
    pub optimum: Duration,
    /// Never spend more than this, however unsettled the choice is.
    pub maximum: Duration,
}

tunables! {
    /// Options of time management.
    TimeOptions

    "Move Overhead" move_overhead: u64 = 100 in 0, 10000;
    "Milliseconds kept back on every move for the interface, the connection and other programs on the machine; of a movetime at most a twentieth, or 2 ms if that is more."

    "SmartPruning" smart_pruning: f32 = 1.33 in 0.0, 10.0;
    "Under a clock, stop once the second move cannot catch up in the remaining time divided by this; 0 never (lc0's default)."
}

// lc0's legacy time manager: game lengths in moves follow a log-logistic distribution with this median and steepness.
const MIDPOINT: f64 = 51.5;
const STEEPNESS: f64 = 7.0;
// An unsettled choice may take this many times the optimum (judgement; lc0's and Stockfish's limits lie between 2 and 5) ...
const STRETCH: f64 = 2.5;
// ... but at most this share of what is left, so that one hard move cannot ruin the game.
const LARGEST_SHARE: f64 = 0.5;

/// The time budget of the next move. `move_number` counts from 1 as in a FEN.
///
/// The clock and the increments still to come are spread evenly over the moves to the next time control or, without
/// one, over the expected rest of the game. The maximum never exceeds what remains less the overhead.
pub fn allocate(clock: &Clock, move_number: u32, options: &TimeOptions) -> Budget {
    let overhead = Duration::from_millis(options.move_overhead);
    let limit = clock.remaining.saturating_sub(overhead);
    let available = limit.as_secs_f64();
    let moves = match clock.moves_to_go {
        Some(moves) => f64::from(moves.max(1)),
        None => expected_moves_left(move_number),
    };
    // With m moves to go there are m - 1 increments still to come in time: that of the last move arrives after it. A share s for each
    // move uses everything up if m s = available + (m - 1) gain. The overhead is lost with every move, so it is taken from the
    // increments too, and not only from what the clock shows now.
    let gain = clock.increment.saturating_sub(overhead).as_secs_f64();
    let even_share = (available + gain * (moves - 1.0)) / moves;
    // Before a time control the last move may use up the clock, which is refilled after it.
    let last_before_control = moves < 2.0;
    let ceiling = if last_before_control { available } else { available * LARGEST_SHARE };
    let optimum = even_share.min(ceiling);
    let maximum = (optimum * STRETCH).min(ceiling);
    Budget { optimum: seconds(optimum).min(limit), maximum: seconds(maximum).min(limit) }
}

// `Move Overhead` may take this share of a time given for the move, or this much if that is more (judgement: an answer is on its way
// for a fraction of a millisecond, and a busy system hands out the processor in steps of a few) ...
const OVERHEAD_SHARE: u32 = 20;
const SMALL_OVERHEAD: Duration = Duration::from_millis(2);
// ... but never more than one part in this number.
const LARGEST_OVERHEAD: u32 = 2;

/// Time that a search may use of `movetime`: all of it less a limited overhead. Unlike a clock, most values
/// of `movetime` are too short for the whole overhead: the default of 100 ms would leave nothing.
pub fn spendable(move_time: Duration, options: &TimeOptions) -> Duration {
    let largest = (move_time / OVERHEAD_SHARE).max(SMALL_OVERHEAD).min(move_time / LARGEST_OVERHEAD);
    move_time.saturating_sub(Duration::from_millis(options.move_overhead).min(largest))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, proptest};

    use super::*;

    const NEUTRAL: TimeOptions = TimeOptions { move_overhead: 10, smart_pruning: 0.0 };

    fn clock(remaining_ms: u64, increment_ms: u64, moves_to_go: Option<u32>) -> Clock {
        Clock {
            remaining: Duration::from_millis(remaining_ms),
            increment: Duration::from_millis(increment_ms),
            moves_to_go,
        }
    }

    #[test]
    fn common_time_controls_get_sensible_shares() {
        // Time control, move number, bounds of the optimum in milliseconds.
        let table = [
            // 1 + 0.01: a fiftieth at the start.
            (clock(1000, 10, None), 1, 15..=25),
            (clock(200, 10, None), 60, 15..=30),
            // 10 + 0.1.
            (clock(10_000, 100, None), 1, 250..=320),
            (clock(1000, 100, None), 50, 100..=200),
            // 3 + 2: most of the increment is spent even when the clock is nearly empty.
            (clock(180_000, 2000, None), 1, 5000..=6000),
            (clock(3000, 2000, None), 70, 1400..=1500),
            // 90 + 30.
            (clock(5_400_000, 30_000, None), 1, 120_000..=150_000),
            // 40 moves in 40 seconds, and the last of them.
            (clock(40_000, 0, Some(40)), 1, 990..=1000),
            (clock(1000, 0, Some(1)), 40, 980..=990),
            // Only the coming increment is left.
            (clock(20, 5000, None), 30, 5..=5),
            (clock(10, 5000, None), 30, 0..=0),
        ];
        for (clock, move_number, expected) in table {
            let optimum = allocate(&clock, move_number, &NEUTRAL).optimum.as_millis();
            assert!(expected.contains(&optimum), "{clock:?}, move {move_number}: {optimum} ms");
        }
    }

    #[test]
    fn a_whole_game_at_one_second_never_runs_out() {
        let mut remaining = Duration::from_secs(1);
        let increment = Duration::from_millis(10);
        for move_number in 1..=300 {
            let clock = Clock { remaining, increment, moves_to_go: None };
            let budget = allocate(&clock, move_number, &NEUTRAL);
            // Every move takes the maximum, and the interface takes its overhead.
            remaining = remaining
                .checked_sub(budget.maximum + Duration::from_millis(NEUTRAL.move_overhead))
                .expect("time is left");
            remaining += increment;
        }
    }

    #[test]
    fn a_time_for_the_move_keeps_a_small_overhead_back() {
        let spendable = |milliseconds, move_overhead| {
            let options = TimeOptions { move_overhead, ..NEUTRAL };
            spendable(Duration::from_millis(milliseconds), &options).as_secs_f64() * 1000.0
        };
        for (move_time, move_overhead, expected) in [
            (10, 100, 8.0),
            (100, 100, 95.0),
            (1000, 100, 950.0),
            (10_000, 100, 9900.0),
            // An overhead set by the user, up to its limit.
            (1000, 30, 970.0),
            (100, 0, 100.0),
            (100, 5000, 95.0),
            (1, 100, 0.5),
            (0, 100, 0.0),
        ] {
            assert_eq!(
                spendable(move_time, move_overhead),
                expected,
                "{move_time} ms, overhead {move_overhead}"
            );
        }
    }

    #[test]
    fn expected_game_length_starts_at_the_median_and_never_ends() {
        assert!((expected_moves_left(1) - MIDPOINT).abs() < 1e-9);
        let lengths: Vec<f64> = (1..=1000).map(expected_moves_left).collect();
        assert!(lengths.iter().all(|&left| left >= 5.0), "{lengths:?}");
    }

    proptest! {
        #[test]
        fn never_more_than_remains_less_the_overhead(
            remaining in 0_u64..10_000_000,
            increment in 0_u64..100_000,
            moves_to_go in prop::option::of(0_u32..100),
            move_number in 1_u32..2000,
            overhead in 0_u64..10_000,
        ) {
            let options = TimeOptions { move_overhead: overhead, ..NEUTRAL };
            let budget = allocate(&clock(remaining, increment, moves_to_go), move_number, &options);
            prop_assert!(budget.optimum <= budget.maximum);
            prop_assert!(budget.maximum <= Duration::from_millis(remaining.saturating_sub(overhead)));
        }
    }
}
