//! Games without players.

use std::fmt::Write as _;

use chess::Game;

/// PGN of different games that all begin with the same two moves.
pub(crate) fn alike_at_first(count: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        let mut game = Game::default();
        for ply in 0..10 {
            let moves = game.legal_moves();
            let choice = if ply < 2 { 0 } else { (number + 1) * (ply + 31) + ply * ply };
            game.play(moves[choice % moves.len()]).unwrap();
        }
        let pgn = chess::pgn::PgnGame::new(&game).to_string();
        write!(text, "{pgn}").unwrap();
    }
    text
}
