use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Result;
use chess::{Game, PolyglotBook, print_san, print_uci_move};
use figures::Percent;
use serde::Serialize;

/// Show the moves of a book
///
/// Without a position, shows the size of the book and its moves in the starting position.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya book show master.bin
  tabiya book show master.bin --moves \"e4 c5 Nf3\"
  tabiya book show master.bin --fen \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\" --json")]
pub(crate) struct Arguments {
    /// A Polyglot book (.bin)
    book: PathBuf,
    /// The position as a FEN; default: the starting position
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Moves to play first, in SAN or UCI notation, separated by spaces
    #[arg(long, value_name = "MOVES", default_value = "")]
    moves: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Book moves or statistics of a position.
#[derive(Debug, Serialize)]
struct View {
    book: String,
    positions: usize,
    entries: usize,
    fen: String,
    moves: Vec<MoveView>,
}

#[derive(Debug, Serialize)]
struct MoveView {
    san: String,
    uci: String,
    weight: u16,
    /// Share of the weights in this position.
    share: f64,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let book = PolyglotBook::read(&arguments.book)?;
    let game = super::position(arguments.fen.as_deref(), &arguments.moves)?;
    let view = view(arguments, &book, &game);
    let mut out = std::io::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string(&view)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{}: {} moves in {} positions", view.book, view.entries, view.positions)?;
    writeln!(out, "{}", view.fen)?;
    if view.moves.is_empty() {
        writeln!(out, "no move in this position")?;
    }
    for each in &view.moves {
        writeln!(out, "  {:<8}{:>6}{:>9.1}", each.san, each.weight, Percent(each.share))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn view(arguments: &Arguments, book: &PolyglotBook, game: &Game) -> View {
    let known = book.moves(game.position());
    let whole: f64 = known.iter().map(|each| f64::from(each.weight)).sum();
    let moves = known
        .iter()
        .map(|each| MoveView {
            san: print_san(game.position(), each.chess_move),
            uci: print_uci_move(each.chess_move, game.castling_mode()),
            weight: each.weight,
            share: if whole > 0.0 { f64::from(each.weight) / whole } else { 0.0 },
        })
        .collect();
    View {
        book: arguments.book.display().to_string(),
        positions: book.positions(),
        entries: book.entries().len(),
        fen: game.fen(),
        moves,
    }
}
