use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, bail, ensure};
use files::{Begin, Inputs, Journal, WorkFolder, has_own_hash, path_text};
use indicatif::HumanCount;
use player::{PlayerSpecification, with_player};
use serde_json::json;
use strength::{
    metrics::{
        PlayedPosition, Take, read_played,
        references::{ReferenceError, ReferenceRow, References, fen_of},
    },
    panel::PanelError,
};
use terminal::{continue_from, stop_on_interrupt};

use crate::commands::{
    machine::program,
    suite::{at_least_one, bar},
};

/// Write a table of positions with the moves of two references, for `tabiya metrics agreement`
///
/// Takes positions of games and searches each with both references. The table has the columns game_id, ply, fen, human_move,
/// first_move, second_move, white_rating and black_rating. The COGS188 project compared its player with such a table, made by
/// Stockfish limited to 1400 (uci=stockfish,nodes=20000,option.UCI_LimitStrength=true,option.UCI_Elo=1400) and at full
/// strength. Rows are kept in TABLE.asking until the table is complete; after Ctrl-C or a kill the same
/// command with --resume continues.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya metrics references games.pgn --first default,nodes=1 --second uci=stockfish,nodes=20000 --out t.csv\n  \
                  tabiya metrics agreement mlx t.csv --first first_move --second second_move --compare human_move"
)]
pub(super) struct Arguments {
    /// Games: PGN (plain, .gz, .bz2, .zst or .zip), CSV, or a sample store, of which the validation split is used
    games: PathBuf,
    /// First reference, in the original the weaker one
    #[arg(long, value_name = "PLAYER")]
    first: PlayerSpecification,
    /// Second reference
    #[arg(long, value_name = "PLAYER")]
    second: PlayerSpecification,
    /// The CSV file to create
    #[arg(long, value_name = "TABLE")]
    out: PathBuf,
    /// Maximum positions per game, spread over it; default: all
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    per_game: Option<usize>,
    /// Take N positions at random, the same in every run; only these are held in memory
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    sample: Option<usize>,
    /// Positions to search in parallel
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Continue with the rows in TABLE.asking
    #[arg(long)]
    resume: bool,
}

/// The file of finished rows in the work folder.
const ROWS: &str = "rows.jsonl";

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Arguments { games, first, second, out, .. } = arguments;
    let players = [first.contestant_for_positions()?, second.contestant_for_positions()?];
    let take = Take { per_game: arguments.per_game.unwrap_or(usize::MAX), sample: arguments.sample };
    let found = read_played(games, take, |_| true)?;
    ensure!(!found.positions.is_empty(), "{}: found no position of a game", games.display());
    let inputs = Inputs::default().with_program(&program()).with_path("games", games)?;
    let inputs = with_player(with_player(inputs, first), second);
    let setup = json!({
        "inputs": inputs,
        "games": path_text(games),
        "first": first.to_string(),
        "second": second.to_string(),
        "per_game": arguments.per_game,
        "sample": arguments.sample,
    });
    let folder = WorkFolder::beside(out, "asking", &setup, Begin::from_flag(arguments.resume))?;
    let (path, setup_hash) = (folder.join(ROWS), folder.setup_hash()?);
    let mut journal = Journal::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut rows =
        kept(&mut journal, &setup_hash, &found.positions).with_context(|| path.display().to_string())?;
    let stop = stop_on_interrupt()?;
    let bar = bar(2 * found.positions.len(), "answers");
    continue_from(&bar, 2 * rows.len() as u64);
    let references = References {
        players: players.each_ref(),
        threads: arguments.threads.into(),
        stop: &stop,
        observe: &|| bar.inc(1),
    };
    let outcome = references.ask(&found.positions, rows.len(), &mut |row| {
        journal.append_hashed(&setup_hash, &row)?;
        rows.push(row);
        Ok(())
    });
    bar.finish_and_clear();
    match outcome {
        Err(ReferenceError::Panel(PanelError::Interrupted)) => bail!(
            "stopped with {} of {} positions; the same command with --resume continues",
            HumanCount(rows.len() as u64),
            HumanCount(found.positions.len() as u64)
        ),
        outcome => outcome?,
    }
    folder.publish(|| write(out, &rows))?;
    let agreed = rows.iter().filter(|row| row.first == row.second).count();
    writeln!(
        std::io::stdout(),
        "{}: {} positions of {} games, {} of which could not be read; the references agree in {:.1} %",
        out.display(),
        HumanCount(rows.len() as u64),
        HumanCount(games_of(&found.positions) as u64),
        found.bad_games,
        100.0 * agreed as f64 / rows.len() as f64,
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The rows that an earlier run wrote under the settings with this hash, which must be those of the first positions.
fn kept(journal: &mut Journal, setup_hash: &str, positions: &[PlayedPosition]) -> Result<Vec<ReferenceRow>> {
    let mut rows: Vec<ReferenceRow> = Vec::new();
    for (number, line) in journal.lines()?.enumerate() {
        let line = line?;
        let row: ReferenceRow =
            serde_json::from_slice(&line).with_context(|| format!("line {}", number + 1))?;
        ensure!(
            has_own_hash(setup_hash, &line),
            "line {}: found a row that was changed, or that another command or an older version wrote; remove \
             the line and those after it, and their positions are searched again",
            number + 1
        );
        let expected = positions.get(number).map(fen_of).unwrap_or_default();
        ensure!(
            row.fen == expected,
            "line {}: found {}, expected {expected:?}: the games have changed",
            number + 1,
            row.fen
        );
        rows.push(row);
    }
    Ok(rows)
}

fn write(out: &Path, rows: &[ReferenceRow]) -> Result<()> {
    let lines = std::iter::once(ReferenceRow::HEADING.into()).chain(rows.iter().map(ReferenceRow::csv));
    let text: String = lines.map(|line| line + "\n").collect();
    let name = out.display();
    let is_new = files::write_new(out, text).with_context(|| format!("cannot write {name}"))?;
    ensure!(
        is_new,
        "{name} has appeared meanwhile and stays; move it away, and the same command with --resume puts the table there"
    );
    Ok(())
}

/// Number of games that gave positions.
fn games_of(positions: &[PlayedPosition]) -> usize {
    let mut games: Vec<usize> = positions.iter().map(|position| position.game_number).collect();
    games.sort_unstable();
    games.dedup();
    games.len()
}
