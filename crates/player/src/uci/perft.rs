//! `go perft`: counts the leaves below every legal move, in a thread that `stop` interrupts.

use std::{sync::mpsc::Sender, thread};

use chess::{Chess, Game, Position, StopSignal, perft, print_uci_move};

use super::event::Event;

/// Below this depth counting takes milliseconds, so the stop signal is not polled.
const UNINTERRUPTED: u32 = 3;

/// Counts in a new thread, which sends lines in Stockfish's format, then [`Event::PerftEnded`].
pub(super) fn spawn(game: Game, depth: u32, stop: StopSignal, events: Sender<Event>) {
    thread::spawn(move || {
        divide(&game, depth, &stop, &mut |line| {
            let _ = events.send(Event::PerftLine(line));
        });
        let _ = events.send(Event::PerftEnded);
    });
}

fn divide(game: &Game, depth: u32, stop: &StopSignal, say: &mut dyn FnMut(String)) {
    let position = game.position();
    let mut total = u64::from(depth == 0);
    for chess_move in position.legal_moves().into_iter().filter(|_| depth > 0) {
        let mut child = position.clone();
        child.play_unchecked(chess_move);
        let Some(count) = count(&child, depth - 1, stop) else {
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
    position.legal_moves().into_iter().try_fold(0, |total, chess_move| {
        let mut child = position.clone();
        child.play_unchecked(chess_move);
        Some(total + count(&child, depth - 1, stop)?)
    })
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn a_stopped_count_gives_no_total() {
        let stop = StopSignal::default();
        stop.stop();
        assert_eq!(lines(6, &stop), ["info string perft was stopped"]);
    }
}
