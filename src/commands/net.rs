//! `tabiya net`: inspection, evaluation and conversion of networks.

mod bench;
mod calibrate;
mod compare;
mod convert;
mod eval;
mod extract;
mod info;
mod planes;
mod validate;
mod verify;

use std::{io::Write as _, path::Path, process::ExitCode};

use anyhow::Context as _;
use chess::Game;

/// Inspect, evaluate and convert networks (.tabiya, lc0's .pb.gz, .onnx).
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

subcommands! {
    Info => info,
    Eval => eval,
    Planes => planes,
    Validate => validate,
    Convert => convert,
    Extract => extract,
    Verify => verify,
    Bench => bench,
    Calibrate => calibrate,
    Compare => compare,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    arguments.command.run()
}

/// A position and how it came about.
#[derive(Debug, clap::Args)]
struct PositionArguments {
    /// Starting position as a FEN
    #[arg(long, default_value = Game::START_FEN)]
    fen: String,
    /// Moves from the starting position in UCI notation, which give the network its history
    #[arg(long, num_args = 0.., value_name = "MOVE")]
    moves: Vec<String>,
}

impl PositionArguments {
    /// The game up to the position.
    fn game(&self) -> anyhow::Result<Game> {
        let mut game = Game::from_any_fen(&self.fen).context("--fen")?;
        for (index, text) in self.moves.iter().enumerate() {
            game.play_uci(text).with_context(|| format!("--moves, number {}", index + 1))?;
        }
        Ok(game)
    }
}

/// Writes a drawing whose place was checked, and prints its name.
fn write_drawing(file: &Path, drawing: &str) -> anyhow::Result<()> {
    files::write(file, drawing).with_context(|| format!("cannot write {}", file.display()))?;
    writeln!(std::io::stdout(), "{}", file.display())?;
    Ok(())
}
