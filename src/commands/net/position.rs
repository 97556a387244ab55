//! The arguments that name a position.

use anyhow::Context as _;
use chess::Game;

/// A position and how it came about.
#[derive(Debug, clap::Args)]
pub(super) struct PositionArguments {
    /// Starting position as a FEN
    #[arg(long, default_value = Game::START_FEN)]
    pub(super) fen: String,
    /// Moves from the starting position in UCI notation, which give the network its history
    #[arg(long, num_args = 0.., value_name = "MOVE")]
    pub(super) moves: Vec<String>,
}

impl PositionArguments {
    /// The game up to the position.
    pub(super) fn game(&self) -> anyhow::Result<Game> {
        let mut game = Game::from_any_fen(&self.fen).context("--fen")?;
        for (index, text) in self.moves.iter().enumerate() {
            game.play_uci(text).with_context(|| format!("--moves, number {}", index + 1))?;
        }
        Ok(game)
    }
}
