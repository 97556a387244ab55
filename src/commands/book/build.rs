use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::{Result, bail, ensure};
use census::openings::{ExplorerError, GameCounts, Listener, ReadMove, ReadingProgress, ReadingRules};
use chess::{
    Color, StopSignal,
    polyglot::{BookCounts, BookRule, BookWeight},
};
use dataset::{record::Winner, source::BadRecord};
use indicatif::{HumanCount, ProgressBar};
use terminal::{SHOWN_BROKEN, progress_bar, stop_on_interrupt};

use crate::commands::file_kinds::BOOK;

/// Build a book from games or sample stores
///
/// A move is included if it was played often enough and scored well enough; its weight is two for each win and one for each
/// draw of its side, or the number of games. Inputs are files, folders and archives of games as in `tabiya data build`, or the
/// folders of sample stores. Games without a result are left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya book build master.bin twic*.pgn.gz --min-rating 2500 --min-games 10
  tabiya book build popular.bin stores/blitz --plies 12 --weight frequency")]
pub(crate) struct Arguments {
    /// The book to write: .bin
    #[arg(value_name = "OUT.bin")]
    output: PathBuf,
    /// Replace an existing file of another kind
    #[arg(long)]
    force: bool,
    /// Files, folders or archives of games, and sample stores
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// Half-moves of each game to read
    #[arg(long, value_name = "PLIES", default_value_t = BookRule::PLIES, value_parser = clap::value_parser!(u16).range(1..=1000))]
    plies: u16,
    /// Minimum number of games in which a move was played
    #[arg(long, value_name = "GAMES", default_value_t = BookRule::MIN_GAMES, value_parser = clap::value_parser!(u32).range(1..))]
    min_games: u32,
    /// Minimum share of the points that a move scored for its side, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = BookRule::MIN_SCORE, value_parser = share)]
    min_score: f64,
    /// What a move's weight counts
    #[arg(long, value_enum, default_value_t = WeightName::Results)]
    weight: WeightName,
    /// Minimum rating of both players; games without ratings are left out
    #[arg(long, value_name = "ELO")]
    min_rating: Option<u16>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum WeightName {
    /// Two for a win, one for a draw
    Results,
    /// The games with the move
    Frequency,
}

fn share(text: &str) -> Result<f64, String> {
    let found: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if (0.0..=1.0).contains(&found) { Ok(found) } else { Err("expected 0 to 1".into()) }
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    let output = BOOK.open(&arguments.output, &arguments.inputs, arguments.force)?;
    let bar = progress_bar(None, "{msg}, {elapsed} elapsed");
    let mut counter = Counter { counts: BookCounts::default(), shown: 0, bar, stop };
    let rules = ReadingRules { plies: arguments.plies, min_rating: arguments.min_rating };
    let mut counts = GameCounts::default();
    for input in &arguments.inputs {
        match census::openings::read_games(input, &rules, &mut counts, &mut counter) {
            Err(ExplorerError::Stopped) => bail!("stopped; no book was written"),
            read => read?,
        }
    }
    counter.bar.finish_and_clear();
    let rule = BookRule {
        min_games: arguments.min_games,
        min_score: arguments.min_score,
        weight: match arguments.weight {
            WeightName::Results => BookWeight::Results,
            WeightName::Frequency => BookWeight::Frequency,
        },
    };
    let book = counter.counts.book(&rule);
    ensure!(
        !book.entries().is_empty(),
        "{}: none of {} moves of {} games with a result was played in {} games with a score of {}; lower --min-games or \
         --min-score",
        arguments.output.display(),
        HumanCount(counter.counts.moves() as u64),
        HumanCount(counts.games),
        rule.min_games,
        rule.min_score
    );
    output.finish(book.to_bytes())?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{}: {} moves in {} positions, from {} games with a result ({} without, {} broken)",
        arguments.output.display(),
        HumanCount(book.entries().len() as u64),
        HumanCount(book.positions() as u64),
        HumanCount(counts.games),
        HumanCount(counts.without_result),
        HumanCount(counts.broken)
    )?;
    Ok(ExitCode::SUCCESS)
}

struct Counter {
    counts: BookCounts,
    shown: u64,
    bar: ProgressBar,
    stop: StopSignal,
}

impl Listener for Counter {
    fn played(&mut self, played: &ReadMove<'_>) -> Result<(), ExplorerError> {
        let winner = match played.winner {
            None => return Ok(()),
            Some(Winner::White) => Some(Color::White),
            Some(Winner::Draw) => None,
            Some(Winner::Black) => Some(Color::Black),
        };
        self.counts.add(played.position, played.chess_move, winner);
        Ok(())
    }

    fn broken(&mut self, bad: &BadRecord) {
        self.shown += 1;
        if self.shown <= SHOWN_BROKEN {
            // A closed stderr must not abort the book.
            self.bar.suspend(|| {
                let _ = writeln!(std::io::stderr(), "{bad}");
            });
        }
    }

    fn progress(&mut self, progress: &ReadingProgress) -> Result<(), ExplorerError> {
        if self.stop.is_stopped() {
            return Err(ExplorerError::Stopped);
        }
        let seconds = self.bar.elapsed().as_secs_f64().max(f64::EPSILON);
        let games = progress.counts.games;
        let rate = HumanCount((games as f64 / seconds) as u64);
        self.bar.set_message(format!("{} games, {rate}/s", HumanCount(games)));
        Ok(())
    }
}
