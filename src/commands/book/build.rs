//! `tabiya book build`.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, ensure};
use chess::{
    Color, Game, StopSignal,
    polyglot::{BookCounts, BookRule, BookWeight},
};
use dataset::{
    Filters, GameResult, Sample, Split, Store,
    record::{GameRecord, Place, Record, Winner},
    source::{self, input::Location},
    store::manifest::MANIFEST_NAME,
};
use indicatif::{HumanCount, ProgressBar};
use output::OutputFile;

use crate::{interrupt::stop_on_interrupt, progress_bar::progress_bar};

/// Broken games named on the terminal.
const SHOWN_REJECTED: u64 = 10;
/// Games between two looks at the progress bar and at Ctrl-C.
const GAMES_BETWEEN_REPORTS: u64 = 256;

/// Make a book from games or sample stores
///
/// A move gets in if it was played often enough and scored well enough; its weight is two for each win and one for each draw
/// of its side, or the number of games. Inputs are files, folders and archives of games as in `tabiya data build`, or the
/// folders of sample stores. Games without a result are left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya book build master.bin twic*.pgn.gz --min-rating 2500 --min-games 10
  tabiya book build popular.bin stores/blitz --plies 12 --weight frequency")]
pub(crate) struct Arguments {
    /// The book to write
    #[arg(value_name = "OUT.bin")]
    output: PathBuf,
    /// Files, folders or archives of games, and sample stores
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// Half-moves of each game that are read
    #[arg(long, value_name = "PLIES", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=1000))]
    plies: u16,
    /// Games in which a move must have been played
    #[arg(long, value_name = "GAMES", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    min_games: u32,
    /// Share of the points that a move must have scored for its side, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.3, value_parser = share)]
    min_score: f64,
    /// What a move's weight counts
    #[arg(long, value_enum, default_value = "results")]
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
    let output = OutputFile::open(&arguments.output)?;
    let mut reader = Reader::new(arguments, stop);
    for input in &arguments.inputs {
        if input.join(MANIFEST_NAME).exists() { reader.store(input)? } else { reader.games(input)? }
    }
    reader.bar.finish_and_clear();
    let rule = BookRule {
        min_games: arguments.min_games,
        min_score: arguments.min_score,
        weight: match arguments.weight {
            WeightName::Results => BookWeight::Results,
            WeightName::Frequency => BookWeight::Frequency,
        },
    };
    let book = reader.counts.book(&rule);
    ensure!(
        !book.entries().is_empty(),
        "{}: none of {} moves of {} games with a result was played in {} games with a score of {}; lower --min-games or \
         --min-score",
        arguments.output.display(),
        HumanCount(reader.counts.moves() as u64),
        HumanCount(reader.games),
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
        HumanCount(reader.games),
        HumanCount(reader.without_result),
        HumanCount(reader.broken)
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Counts moves, and what was left out.
struct Reader {
    plies: u16,
    filters: Filters,
    counts: BookCounts,
    games: u64,
    without_result: u64,
    broken: u64,
    bar: ProgressBar,
    stop: StopSignal,
}

impl Reader {
    fn new(arguments: &Arguments, stop: StopSignal) -> Self {
        Self {
            plies: arguments.plies,
            filters: Filters { min_rating: arguments.min_rating, ..Filters::default() },
            counts: BookCounts::default(),
            games: 0,
            without_result: 0,
            broken: 0,
            bar: progress_bar(None, "{msg}, {elapsed} gone"),
            stop,
        }
    }

    fn games(&mut self, input: &Path) -> Result<()> {
        for location in Location::all(input)? {
            for record in source::open_at(&location)? {
                match record? {
                    Ok(Record::Game(game)) => self.game(&game)?,
                    Ok(Record::Position(position)) => return Err(no_game(&position.place)),
                    Ok(Record::Unlabelled(position)) => return Err(no_game(&position.place)),
                    Err(bad) => {
                        self.broken += 1;
                        if self.broken <= SHOWN_REJECTED {
                            // Losing a message because stderr is closed is no reason to lose the book.
                            self.bar.suspend(|| {
                                let _ = writeln!(std::io::stderr(), "{bad}");
                            });
                        }
                    }
                }
                self.report()?;
            }
        }
        Ok(())
    }

    fn game(&mut self, record: &GameRecord) -> Result<()> {
        if !self.filters.keeps_game(record) {
            return Ok(());
        }
        let Some(winner) = record.winner else {
            self.without_result += 1;
            return Ok(());
        };
        self.games += 1;
        let winner = match winner {
            Winner::White => Some(Color::White),
            Winner::Draw => None,
            Winner::Black => Some(Color::Black),
        };
        let mut game = Game::from_position(record.start.clone(), chess::CastlingMode::Standard);
        for recorded in record.moves.iter().take(usize::from(self.plies)) {
            self.counts.add(game.position(), recorded.played, winner);
            game.play(recorded.played).with_context(|| record.place.to_string())?;
        }
        Ok(())
    }

    fn store(&mut self, path: &Path) -> Result<()> {
        let store = Store::open(path)?;
        for split in [Split::Train, Split::Validation] {
            for group in store.row_groups(split) {
                for sample in group? {
                    self.sample(&sample).with_context(|| path.display().to_string())?;
                }
                self.check_stop()?;
            }
        }
        Ok(())
    }

    /// A position of a stored game. The games of a store are counted by their first stored positions.
    fn sample(&mut self, sample: &Sample) -> Result<()> {
        let rated = |rating: Option<u16>| match self.filters.min_rating {
            Some(least) => rating.is_some_and(|rating| rating >= least),
            None => true,
        };
        let kept = sample.game.is_some()
            && sample.ply < self.plies
            && rated(sample.white_rating)
            && rated(sample.black_rating);
        if !kept {
            return Ok(());
        }
        let first = u64::from(sample.ply == 0);
        let Some(result) = sample.result else {
            self.without_result += first;
            return Ok(());
        };
        self.games += first;
        let position = sample.chess()?;
        let played = sample.played_move.unwrap_or(sample.best_move);
        let chess_move =
            played.unpack(&position).with_context(|| format!("found the illegal move {:#06x}", played.0))?;
        let mover = sample.position.turn();
        let winner = match result {
            GameResult::Win => Some(mover),
            GameResult::Draw => None,
            GameResult::Loss => Some(!mover),
        };
        self.counts.add(&position, chess_move, winner);
        Ok(())
    }

    fn report(&mut self) -> Result<()> {
        if (self.games + self.without_result).is_multiple_of(GAMES_BETWEEN_REPORTS) {
            self.check_stop()?;
        }
        Ok(())
    }

    fn check_stop(&self) -> Result<()> {
        ensure!(!self.stop.is_stopped(), "stopped; no book was written");
        let seconds = self.bar.elapsed().as_secs_f64().max(f64::EPSILON);
        let rate = HumanCount((self.games as f64 / seconds) as u64);
        self.bar.set_message(format!("{} games, {rate}/s", HumanCount(self.games)));
        Ok(())
    }
}

fn no_game(place: &Place) -> anyhow::Error {
    anyhow::anyhow!(
        "{place}: found a position that is part of no game, expected games: what was played how often"
    )
}
