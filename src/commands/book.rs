//! `tabiya book`: making and reading opening books.

mod build;
mod show;

use std::process::ExitCode;

use anyhow::Context as _;
use chess::Game;

/// Make and read opening books in Polyglot's format.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

subcommands! {
    Build => build,
    Show => show,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    arguments.command.run()
}

/// The position that `--fen` and `--moves` name.
pub(super) fn position(fen: Option<&str>, moves: &str) -> anyhow::Result<Game> {
    let mut game = match fen {
        Some(fen) => Game::from_any_fen(fen).context("--fen")?,
        None => Game::default(),
    };
    for text in moves.split_whitespace() {
        if game.play_uci(text).is_err() {
            game.play_san(text).context("--moves")?;
        }
    }
    Ok(game)
}
