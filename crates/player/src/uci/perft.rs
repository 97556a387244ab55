//! `go perft`: counts the leaves below every legal move, until `stop` interrupts it.

use chess::{Chess, Game, Position, StopSignal, perft, played, print_uci_move};

/// Below this depth counting takes milliseconds, so the stop signal is not polled.
const UNINTERRUPTED: u32 = 3;

/// A deeper count would never end, and each ply uses the thread's stack.
const DEEPEST: u32 = 40;

/// Counts and says the lines in Stockfish's format.
pub(super) fn divide(game: &Game, depth: u32, stop: &StopSignal, say: &mut dyn FnMut(String)) {
    if depth > DEEPEST {
        return say(format!("info string error: perft: found depth {depth}, expected at most {DEEPEST}"));
    }
    let position = game.position();
    let mut total = u64::from(depth == 0);
    for chess_move in position.legal_moves().into_iter().filter(|_| depth > 0) {
        let Some(count) = count(&played(position, chess_move), depth - 1, stop) else {
            say("info string perft was stopped".into());
            return;
        };
        total += count;
        say(format!("{}: {count}", print_uci_move(chess_move, game.castling_mode())));
    }
    say(String::new());
    say(format!("Nodes searched: {total}"));
}

/// Leaves at `depth`, or `None` if stopped.
fn count(position: &Chess, depth: u32, stop: &StopSignal) -> Option<u64> {
    if stop.is_stopped() {
        return None;
    }
    if depth <= UNINTERRUPTED {
        return Some(perft(position, depth));
    }
    position
        .legal_moves()
        .into_iter()
        .try_fold(0, |total, chess_move| Some(total + count(&played(position, chess_move), depth - 1, stop)?))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn lines(depth: u32, stop: &StopSignal) -> Vec<String> {
        let mut lines = Vec::new();
        divide(&Game::default(), depth, stop, &mut |line| lines.push(line));
        lines
    }

    #[test]
    fn counts_of_the_start_position_are_the_known_ones() {
        // https://www.chessprogramming.org/Perft_Results
        for (depth, nodes) in [(0, 1), (1, 20), (2, 400), (3, 8_902), (4, 197_281), (5, 4_865_609)] {
            let lines = lines(depth, &StopSignal::default());
            assert_eq!(lines.last().unwrap(), &format!("Nodes searched: {nodes}"));
            assert_eq!(lines.len(), if depth == 0 { 2 } else { 22 });
        }
        assert!(lines(2, &StopSignal::default()).contains(&"g1f3: 20".to_owned()));
    }

    /// Half a million half-moves deep, the thread's stack overflowed and ended the program.
    #[test]
    fn a_depth_that_no_stack_holds_is_refused() {
        let lines = lines(500_000, &StopSignal::default());
        assert_eq!(lines, ["info string error: perft: found depth 500000, expected at most 40"]);
    }

    #[test]
    fn the_deepest_count_fits_on_the_stack_of_its_thread() {
        let stop = StopSignal::default();
        let seen = stop.clone();
        let counting = thread::spawn(move || lines(DEEPEST, &seen));
        // The count is depth-first, so it reaches its greatest depth at once.
        thread::sleep(std::time::Duration::from_millis(20));
        stop.stop();
        assert_eq!(counting.join().unwrap(), ["info string perft was stopped"]);
    }

    #[test]
    fn a_stopped_count_gives_no_total() {
        let stop = StopSignal::default();
        stop.stop();
        assert_eq!(lines(6, &stop), ["info string perft was stopped"]);
    }
}
