//! The engine's part of a game: its limits, and when it accepts a draw.

use std::time::Duration;

use chess::{Clock, DEFAULT_NODES, Limits};

use super::{record::GameRecord, settings::NewGame};

/// Visits of a hint. Chosen, not measured.
pub(super) const HINT_NODES: u64 = 400;

/// The engine accepts a draw after this many consecutive own moves with an expected score at most ...
const LEVEL_MOVES: usize = 4;
/// ... after this many half-moves of the game. Both are chosen as an opponent would choose: not in the opening, and not because of
/// one quiet move.
const DRAW_FROM_PLY: usize = 60;
/// Expected score up to which the engine counts a position as level.
const LEVEL_SCORE: f32 = 0.5;

/// Maximum visits of a move that counts as immediate.
const BRIEF_NODES: u64 = 100;

/// Limits of the engine's next search. A number of visits does not depend on the clock, but human-like thinking time does.
pub(super) fn limits(settings: &NewGame, clock: Option<Clock>) -> Limits {
    match (settings.nodes, settings.move_time_ms, clock) {
        (None, Some(ms), _) => Limits { move_time: Some(Duration::from_millis(ms)), ..Limits::default() },
        (None, None, Some(clock)) => Limits { clock: Some(clock), ..Limits::default() },
        (nodes, _, clock) => Limits {
            nodes: Some(nodes.unwrap_or(DEFAULT_NODES)),
            clock: clock.filter(|_| settings.human_time),
            ..Limits::default()
        },
    }
}

/// True if the engine spends most of its time waiting, so it does not delay other searches.
pub(super) fn mostly_waits(settings: &NewGame) -> bool {
    settings.human_time && settings.nodes.is_some_and(|nodes| nodes <= BRIEF_NODES)
}

/// True if the engine claims a draw that the rules offer: it does unless its last value promises more.
pub(super) fn claims_draw(record: &GameRecord) -> bool {
    let last = record.moves.iter().rev().find_map(|played| played.wdl);
    last.is_none_or(|wdl| wdl.expected_score() <= LEVEL_SCORE)
}

/// True if the engine accepts a draw: late enough, and without an advantage for itself in any of its last moves.
pub(super) fn accepts_draw(record: &GameRecord) -> bool {
    // Only moves of the engine have a value. Every one of the last few must be level: a single one may be a search that has not yet
    // seen why it is better, and an engine that takes a draw then gives away a won game.
    let own: Vec<f32> =
        record.moves.iter().filter_map(|played| played.wdl).map(chess::Wdl::expected_score).collect();
    record.moves.len() >= DRAW_FROM_PLY
        && own.len() >= LEVEL_MOVES
        && own[own.len() - LEVEL_MOVES..].iter().all(|&score| score <= LEVEL_SCORE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_are_counted_without_a_clock_unless_the_pace_is_a_persons() {
        let clock = Clock { remaining: Duration::from_mins(3), increment: Duration::ZERO, moves_to_go: None };
        let brief = NewGame { nodes: Some(1), ..NewGame::default() };
        assert_eq!(limits(&brief, Some(clock)), Limits { nodes: Some(1), ..Limits::default() });
        let paced = NewGame { human_time: true, ..brief.clone() };
        let with_clock = Limits { nodes: Some(1), clock: Some(clock), ..Limits::default() };
        assert_eq!(limits(&paced, Some(clock)), with_clock);
        let by_clock = NewGame { human_time: true, ..NewGame::default() };
        assert_eq!(limits(&by_clock, Some(clock)), Limits { clock: Some(clock), ..Limits::default() });
        let long = NewGame { nodes: Some(5000), ..paced.clone() };
        assert_eq!([&brief, &paced, &by_clock, &long].map(mostly_waits), [false, true, false, false]);
    }
}
