//! `tabiya play`: a person against the engine, in the terminal.

mod entry;
mod session;

use std::{fs, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::Context as _;
use chess::{CastlingMode, Color, Game, Limits};
use search::Puct;

use self::session::{Finish, Session, Settings};
use crate::{
    board::{Drawing, PieceStyle},
    engine::EngineArguments,
};

/// Play against the engine in the terminal
///
/// Moves are typed as `Nf3` or `g1f3`; `help` lists the other commands. The game is kept as PGN after every move, so that
/// nothing is lost whatever ends the program.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  tabiya play\n  tabiya play --color black --nodes 200\n  \
                        tabiya play --net runs/first/network.tabiya --movetime 2000 --pgn evening.pgn")]
pub(crate) struct Arguments {
    #[command(flatten)]
    engine: EngineArguments,
    /// Play in the terminal; the only board of this version, so it may be left out
    #[arg(long)]
    terminal: bool,
    /// Your side
    #[arg(long, value_enum, default_value_t = Side::White)]
    color: Side,
    /// Visits the engine spends on a move; fewer are weaker
    #[arg(long, value_name = "N", default_value_t = 800, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Milliseconds the engine thinks about a move, instead of a number of visits
    #[arg(long, value_name = "MS", conflicts_with = "nodes", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Position to start from
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// File the game is kept in; by default a new one in `games/`
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Draw the board with letters instead of chess symbols
    #[arg(long)]
    ascii: bool,
}

/// The person's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Side {
    White,
    Black,
    Random,
}

impl Side {
    fn color(self) -> Color {
        match self {
            Self::White => Color::White,
            Self::Black => Color::Black,
            Self::Random => Color::from_white(seconds_since_epoch().is_multiple_of(2)),
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let game = match &arguments.fen {
        Some(fen) => Game::from_fen(fen, CastlingMode::Standard).context("--fen")?,
        None => Game::default(),
    };
    let opened = arguments.engine.open()?;
    let search = Puct::new(opened.evaluator.clone(), arguments.engine.search_options()?);
    let limits = match arguments.movetime {
        Some(milliseconds) => {
            Limits { move_time: Some(Duration::from_millis(milliseconds)), ..Limits::default() }
        }
        None => Limits { nodes: Some(arguments.nodes), ..Limits::default() },
    };
    let person = arguments.color.color();
    let pieces = if arguments.ascii { PieceStyle::Ascii } else { PieceStyle::Unicode };
    let settings = Settings {
        person,
        limits,
        file: game_file(arguments.pgn.clone())?,
        drawing: Drawing { pieces, bottom: person },
        engine: opened.describe(),
    };
    let mut out = std::io::stdout();
    if !arguments.terminal {
        session::say(&mut out, "The web board is not in this version; this is the board in the terminal.")?;
    }
    let mut session = Session::new(game, Box::new(search), settings);
    match session.run(&mut std::io::stdin().lock(), &mut out)? {
        Finish::Over | Finish::Left => Ok(ExitCode::SUCCESS),
    }
}

/// The file of the game, with its folder made.
fn game_file(chosen: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let file = chosen.unwrap_or_else(|| format!("games/{}.pgn", seconds_since_epoch()).into());
    anyhow::ensure!(!file.exists(), "{} exists already: choose another --pgn", file.display());
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    Ok(file)
}

fn seconds_since_epoch() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
