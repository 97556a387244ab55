use std::{io::Write as _, path::Path, process::ExitCode};

use anyhow::Context as _;
use chess::{
    Game,
    encoding::{InputEncoding, input::input_encoding, picture::picture},
};
use player::read_weights;

/// Draw what a network sees of a position: the planes of its input, as boards.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya net planes knights-6-10
  tabiya net planes cnn --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1'
  tabiya net planes lc0-112 --moves e2e4 e7e5 g1f3")]
pub(super) struct Arguments {
    /// A network, or an input encoding by name
    network: String,
    /// Starting position as a FEN
    #[arg(long, default_value = Game::START_FEN)]
    fen: String,
    /// Moves from the starting position in UCI notation, which give the network its history
    #[arg(long, num_args = 0.., value_name = "MOVE")]
    moves: Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut game = Game::from_any_fen(&arguments.fen).context("--fen")?;
    for (index, text) in arguments.moves.iter().enumerate() {
        game.play_uci(text).with_context(|| format!("--moves, number {}", index + 1))?;
    }
    write!(std::io::stdout(), "{}", picture(encoding(&arguments.network)?, &game))?;
    Ok(ExitCode::SUCCESS)
}

/// The encoding of this name, or the input of the network of this name.
fn encoding(name: &str) -> anyhow::Result<&'static dyn InputEncoding> {
    let unknown = match input_encoding(name) {
        Ok(encoding) => return Ok(encoding),
        Err(unknown) => unknown,
    };
    if player::bundled(name).is_none() && !Path::new(name).exists() {
        return Err(unknown).context(format!("{name}: neither a network nor an input encoding"));
    }
    Ok(read_weights(name)?.spec.input_encoding()?)
}
