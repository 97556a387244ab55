//! `tabiya explore`: the moves played in a position, in games, stores and books.

mod games;

use std::{io::Write as _, ops::RangeInclusive, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result, bail, ensure};
use census::openings::{
    GameFilter, GameQuery, MOST_LISTED, MakeOptions, ReadingProgress, Table, TableInfo, TableInput,
    TableMove, have_games, is_table, make_table,
};
use chess::{Game, print_san, print_uci_move};
use figures::Percent;
use indicatif::HumanCount;
use serde::Serialize;
use terminal::{progress_bar, stop_on_interrupt};

use super::file_kinds::TABLE;

/// Steps of the progress bar.
const STEPS: u64 = 1000;

/// Show the moves played in a position, with their counts and results
///
/// Inputs are files, folders and archives of games as in `tabiya data build`, folders of sample stores, and Polyglot books
/// (.bin), of any size: memory use stays below 200 MB. Reading takes a while, so save the table with --table: a table is
/// also accepted as input and answers at once. The page shows the tables in its folder `openings`. A table of game files
/// also stores the games, so that it can list and filter them without the files; --counts-only leaves them out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya explore games.pgn.zst --moves \"e4 c5 Nf3\"
  tabiya explore twic*.pgn.gz --table openings/twic.openings --min-games 2
  tabiya explore openings/twic.openings --moves \"d4 Nf6 c4 g6\" --games 10 --rating 2500..
  tabiya explore openings/twic.openings --moves \"d4 Nf6\" --years 2010..2020
  tabiya explore openings/twic.openings --fen \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\"")]
pub(crate) struct Arguments {
    /// Games, stores and books, or one table saved earlier
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// The position as a FEN; default: the starting position
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Moves to play first, in SAN or UCI notation, separated by spaces
    #[arg(long, value_name = "MOVES", default_value = "")]
    moves: String,
    /// Save the table to this file, for later queries: .openings
    #[arg(long, value_name = "OUT.openings")]
    table: Option<PathBuf>,
    /// Replace an existing file of another kind with the table
    #[arg(long, requires = "table")]
    force: bool,
    /// Half-moves of each game to read
    #[arg(long, value_name = "PLIES", default_value_t = MakeOptions::PLIES, value_parser = clap::value_parser!(u16).range(1..=1000))]
    plies: u16,
    /// Minimum number of games in which a move was played
    #[arg(long, value_name = "GAMES", default_value_t = MakeOptions::MIN_GAMES, value_parser = clap::value_parser!(u32).range(1..))]
    min_games: u32,
    /// Minimum rating of both players; games without ratings are left out
    #[arg(long, value_name = "ELO")]
    min_rating: Option<u16>,
    /// Number of games with this position to list, the strongest players first
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u16).range(1..=MOST_LISTED as i64))]
    games: Option<u16>,
    /// Count and list only games in which the mean rating of both players is in this range: 2000..2400, 2400.., ..1800
    #[arg(long, value_name = "FROM..TO", value_parser = games::range)]
    rating: Option<RangeInclusive<u16>>,
    /// Count and list only games of these years: 1990..1999, 2020.., 2014
    #[arg(long, value_name = "FROM..TO", value_parser = games::range)]
    years: Option<RangeInclusive<u16>>,
    /// Save only counts in the table, no games: about 60 MB less on disk for 100,000 games
    #[arg(long, requires = "table", conflicts_with_all = ["games", "rating", "years"])]
    counts_only: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Book moves or statistics of a position.
#[derive(Debug, Serialize)]
struct View {
    fen: String,
    #[serde(flatten)]
    table: TableInfo,
    played: Vec<MoveView>,
    /// With `--games`.
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<games::GamesView>,
}

#[derive(Debug, Serialize)]
struct MoveView {
    san: String,
    uci: String,
    games: u64,
    white: u32,
    draws: u32,
    black: u32,
    rating: Option<u16>,
    years: Option<(u16, u16)>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let game = super::book::position(arguments.fen.as_deref(), &arguments.moves)?;
    let mut table = match &arguments.inputs[..] {
        [kept] if is_table(kept) => {
            ensure!(
                arguments.table.is_none(),
                "{}: found an opening table, expected games with --table",
                kept.display()
            );
            Table::open(kept)?
        }
        inputs => read(arguments, inputs)?,
    };
    let filter = arguments.filter();
    let moves = table.filtered_moves(game.position(), &filter)?;
    let page = match arguments.games {
        None => None,
        Some(most) => {
            let query = GameQuery { filter: filter.clone(), most: usize::from(most), ..GameQuery::default() };
            Some(table.games(game.position(), &query)?)
        }
    };
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let played = moves.iter().map(|each| view(&game, each)).collect();
        let games = page.as_ref().map(games::GamesView::from);
        let answer = View { fen: game.fen(), table: table.info().clone(), played, games };
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&mut out, &game, table.info(), &moves, &filter)?;
    if let Some(page) = page {
        games::print(&mut out, &page)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn filter(&self) -> GameFilter {
        GameFilter { ratings: self.rating.clone(), years: self.years.clone() }
    }

    fn asks_for_games(&self) -> bool {
        self.games.is_some() || !self.filter().is_empty()
    }

    /// True if the table must have its games: it is kept, or they are asked for at once.
    fn needs_games(&self) -> bool {
        self.asks_for_games() || (self.table.is_some() && !self.counts_only)
    }
}

/// Builds a table from the inputs, in a temporary folder unless `--table` names a file.
fn read(arguments: &Arguments, inputs: &[PathBuf]) -> Result<Table> {
    let stop = stop_on_interrupt()?;
    let bar = progress_bar(Some(STEPS), "{percent:>3} % {msg}, {elapsed} elapsed");
    let folder = tempfile::tempdir().context("cannot make a folder for the table")?;
    let out = match &arguments.table {
        Some(path) => {
            TABLE.check(path, inputs, Some(arguments.force))?;
            path.clone()
        }
        None => folder.path().join("table.openings"),
    };
    let inputs: Vec<TableInput> = inputs.iter().map(|path| TableInput::of(path)).collect();
    if arguments.asks_for_games() && !have_games(&inputs) {
        bail!(
            "--games, --rating and --years: found a book or a sample store among the inputs, expected files of games"
        );
    }
    let options = MakeOptions {
        name: inputs.iter().map(|input| input.name.as_str()).collect::<Vec<_>>().join(", "),
        plies: arguments.plies,
        min_games: arguments.min_games,
        min_rating: arguments.min_rating,
        lists_games: arguments.needs_games(),
    };
    make_table(&inputs, &out, &options, &stop, &mut |progress: &ReadingProgress| {
        bar.set_position((progress.share * STEPS as f64) as u64);
        let games = progress.counts.games + progress.counts.without_result;
        let rate = games as f64 / bar.elapsed().as_secs_f64().max(f64::EPSILON);
        bar.set_message(format!("{} games, {}/s", HumanCount(games), HumanCount(rate as u64)));
    })?;
    bar.finish_and_clear();
    // On Windows the file of an open table cannot be deleted; the folder goes with the process's temporary files.
    Ok(Table::open(&out)?)
}

fn view(game: &Game, each: &TableMove) -> MoveView {
    let tally = each.tally;
    MoveView {
        san: print_san(game.position(), each.chess_move),
        uci: print_uci_move(each.chess_move, game.castling_mode()),
        games: tally.games(),
        white: tally.white,
        draws: tally.draws,
        black: tally.black,
        rating: tally.rating(),
        years: tally.years(),
    }
}

fn print(
    out: &mut impl std::io::Write,
    game: &Game,
    info: &TableInfo,
    moves: &[TableMove],
    filter: &GameFilter,
) -> Result<()> {
    let what = if info.weights { "weights of a book".into() } else { counted(info) };
    writeln!(
        out,
        "{}: {what}, {} moves in {} positions",
        info.name,
        HumanCount(info.moves),
        HumanCount(info.positions)
    )?;
    writeln!(out, "{}", game.fen())?;
    if moves.is_empty() {
        writeln!(
            out,
            "not played in this position{}",
            if filter.is_empty() { "" } else { " in the games that fit" }
        )?;
        return Ok(());
    }
    let whole: u64 = moves.iter().map(|each| each.tally.games()).sum();
    if !filter.is_empty() {
        writeln!(out, "{} games with {}", HumanCount(whole), games::filter_text(filter))?;
    }
    writeln!(
        out,
        "  {:<8}{:>10}{:>8}{:>8}{:>7}{:>7}{:>8}  years",
        "move", "games", "share", "White", "draw", "Black", "rating"
    )?;
    for each in moves {
        let known = view(game, each);
        let results = u64::from(known.white) + u64::from(known.draws) + u64::from(known.black);
        writeln!(
            out,
            "  {:<8}{:>10}{:>8.1}{:>8}{:>7}{:>7}{:>8}  {}",
            known.san,
            known.games,
            Percent(known.games as f64 / whole as f64),
            share(known.white, results),
            share(known.draws, results),
            share(known.black, results),
            known.rating.map_or_else(|| "-".into(), |rating| rating.to_string()),
            match known.years {
                None => "-".into(),
                Some((first, last)) if first == last => first.to_string(),
                Some((first, last)) => format!("{first} to {last}"),
            }
        )?;
    }
    Ok(())
}

/// A share of the games with a result; a dash if there are none.
fn share(part: u32, results: u64) -> String {
    match results {
        0 => "-".into(),
        _ => format!("{:.0}", Percent(f64::from(part) / results as f64)),
    }
}

fn counted(info: &TableInfo) -> String {
    let counts = info.counts;
    let mut text = format!("{} games", HumanCount(counts.games + counts.without_result));
    for (count, what) in [(counts.without_result, "without result"), (counts.broken, "broken and left out")] {
        if count > 0 {
            text.push_str(", ");
            text.push_str(&HumanCount(count).to_string());
            text.push(' ');
            text.push_str(what);
        }
    }
    text
}
