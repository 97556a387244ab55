//! A shell script in place of a UCI engine that counts material.

use crate::engine;

use std::{fmt::Write as _, path::Path};

use chess::{Game, Move, evaluator::material_balance};
use protocol::PositionCommand;

/// Writes the engine `name` into the folder. In each of these games it plays the same move as either side, and says who has more
/// pieces; at any other it ends. Games that are over are left out.
pub(crate) fn material_engine<'a>(folder: &Path, name: &str, games: impl IntoIterator<Item = &'a Game>) {
    let mut go = String::from("case $position in ");
    for game in games {
        let as_white = |chess_move: &Move| {
            let seen = if game.turn().is_white() { *chess_move } else { chess_move.to_mirrored() };
            seen.to_uci(game.castling_mode()).to_string()
        };
        let Some(best) = game.legal_moves().into_iter().min_by_key(as_white) else { continue };
        let command = PositionCommand::from_game(game).to_string();
        let position = command.strip_prefix("position ").expect("a command begins with its name");
        let best = best.to_uci(game.castling_mode());
        let centipawns = 100 * material_balance(game.position());
        write!(
            go,
            "'{position}') echo info depth 1 score cp {centipawns} pv {best}; echo bestmove {best};; "
        )
        .expect("a string takes all text");
    }
    go.push_str("*) exit 3;; esac");
    engine::engine(folder, name, &[], &go);
}
