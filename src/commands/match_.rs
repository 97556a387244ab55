//! `tabiya match`.

pub(crate) mod progress;

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result, ensure};
use chess::StopSignal;
use player::{PlayerSpecification, help, identity, of_recipe};
use serde_json::json;
use strength::{
    Contestant, GameRecord, Match, MatchSummary, OpeningBook,
    matches::{ContestantConditions, EarlyEnd, GameSummary, MatchReport},
    statistics::{Sprt, SprtModel, Standing},
    tournament::{TournamentFormat, TournamentReport},
};

use crate::{
    game_folder::{Entry, GameFile, GameFolder},
    interrupt::stop_on_interrupt,
    match_options::{MatchOptions, even},
};
use progress::Progress;

/// Play matches between players and measure the Elo difference.
///
/// Every opening is played with both colours. Results are for the first player, with a 95 % interval, or a bound if all games
/// ended alike. More than two players play a gauntlet or a round-robin and are rated together. An illegal move, a crash or a
/// late move loses the game. Ctrl-C stops the match and prints the result so far; a match in a folder (--out) can be continued
/// with --resume, also after a kill.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = format!("{}\n\nExamples:\n  tabiya match default uci=stockfish,option.UCI_LimitStrength=true,\
    option.UCI_Elo=1350,movetime=100 --games 40 --pgn games.pgn\n  tabiya match net=new.tabiya,nodes=400 default,nodes=400 \
    --games 2000 --sprt 0:10 --out matches/new\n  tabiya match --recipe recipes/mlx random --games 20\n  tabiya match random material default,nodes=1 --format round-robin", help())
)]
pub(crate) struct Arguments {
    /// First player, for whom results are counted
    #[arg(value_name = "A")]
    first: PlayerSpecification,
    /// Opponents
    #[arg(value_name = "B", required_unless_present = "recipes")]
    others: Vec<PlayerSpecification>,
    /// The player of an experiment, as recipe=PATH, before all others; may be repeated
    #[arg(long = "recipe", value_name = "RECIPE", value_parser = of_recipe)]
    recipes: Vec<PlayerSpecification>,
    /// Games per match, even
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = even)]
    games: u32,
    /// With more than two players: `gauntlet` (the first against each) or `round-robin` (each against each)
    #[arg(long, default_value = "gauntlet", value_name = "FORMAT")]
    format: TournamentFormat,
    /// Stop when the sequential probability ratio test between two Elo differences ends, with error rates of 5 %
    #[arg(long, value_name = "ELO0:ELO1", value_parser = hypotheses, allow_hyphen_values = true)]
    sprt: Option<[f64; 2]>,
    /// Interpret --sprt as normalized Elo
    #[arg(long, requires = "sprt")]
    normalized: bool,
    #[command(flatten)]
    options: MatchOptions,
    /// Folder for games and result, needed for --resume
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Continue the match in the folder
    #[arg(long, requires = "out")]
    resume: bool,
    /// PGN file to append every finished game to
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    pgn: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let specifications: Vec<&PlayerSpecification> =
        arguments.recipes.iter().chain([&arguments.first]).chain(&arguments.others).collect();
    let sprt = sprt(arguments)?;
    ensure!(
        sprt.is_none() || specifications.len() == 2,
        "--sprt compares two players; found {} of them",
        specifications.len()
    );
    let contestants = specifications.iter().map(|one| one.contestant()).collect::<Result<Vec<_>, _>>()?;
    let book = arguments.options.book(arguments.games)?;
    let pairings = arguments.format.pairings(contestants.len());
    let (output, done) = GameOutput::open(arguments, &specifications)?;
    let stop = stop_on_interrupt()?;
    let progress = Progress::new(arguments.games as usize * pairings.len());
    let mut event = Event { arguments, specifications, contestants, book, sprt, output, progress, stop };
    let (mut played, mut ended) = (Vec::new(), None);
    for (number, &pairing) in pairings.iter().enumerate() {
        let (report, summary) = event.play(number, pairing, &done)?;
        played.push((report, summary.standing));
        ended = summary.ended_early.filter(|end| !matches!(end, EarlyEnd::Decided(_)));
        if ended.is_some() {
            break;
        }
    }
    event.progress.finish();
    event.report(&pairings, played)?;
    for problem in arguments.options.damaged_tables() {
        writeln!(std::io::stderr(), "caution: an endgame table judged nothing: {problem}")?;
    }
    match ended {
        None => Ok(ExitCode::SUCCESS),
        Some(reason) => Err(anyhow::Error::new(reason).context("the match ended early")),
    }
}

fn sprt(arguments: &Arguments) -> Result<Option<Sprt>> {
    let model = if arguments.normalized { SprtModel::Normalized } else { SprtModel::Logistic };
    let test = |[elo0, elo1]: [f64; 2]| Sprt::new(model, elo0, elo1);
    arguments.sprt.map(test).transpose().context("--sprt")
}

fn hypotheses(text: &str) -> Result<[f64; 2], String> {
    let numbers: Option<Vec<f64>> = text.split(':').map(|part| part.parse().ok()).collect();
    let numbers: Option<[f64; 2]> = numbers.and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| format!("found {text:?}, expected ELO0:ELO1, such as 0:5"))
}

/// Everything between the command line and the result.
struct Event<'a> {
    arguments: &'a Arguments,
    specifications: Vec<&'a PlayerSpecification>,
    contestants: Vec<Contestant>,
    book: OpeningBook,
    sprt: Option<Sprt>,
    output: GameOutput,
    progress: Progress,
    stop: StopSignal,
}

impl Event<'_> {
    /// Plays the games of one pairing that are not done yet.
    fn play(
        &mut self,
        number: usize,
        pairing: [usize; 2],
        done: &[Entry],
    ) -> Result<(MatchReport, MatchSummary)> {
        let arguments = self.arguments;
        let mut settings = arguments.options.settings(arguments.games);
        settings.sprt = self.sprt;
        let contestants = pairing.map(|player| self.contestants[player].clone());
        let battle = Match { contestants, openings: self.book.clone(), settings };
        let done: Vec<GameSummary> =
            done.iter().filter(|entry| entry.pairing == number).map(|entry| entry.game.clone()).collect();
        let names = battle.contestants.each_ref().map(|contestant| contestant.name.clone());
        self.progress.begin(&names, done.len());
        let (output, progress) = (&mut self.output, &self.progress);
        let summary = battle.resume(&done, &self.stop, &mut |record, standing| {
            output.add(number, record, &names)?;
            progress.show(standing);
            Ok(())
        })?;
        let players = [0, 1].map(|side| {
            let specification = self.specifications[pairing[side]];
            let (name, pace) = (summary.names[side].clone(), battle.contestants[side].pace);
            ContestantConditions::new(specification.to_string(), name, pace, identity(specification))
        });
        let conditions = arguments.options.conditions(players, &self.book, arguments.games, self.sprt);
        Ok((MatchReport::new(&summary, conditions), summary))
    }

    /// Prints the result and keeps it in the folder. Without a finished game there is nothing to say.
    fn report(&self, pairings: &[[usize; 2]], mut played: Vec<(MatchReport, Standing)>) -> Result<()> {
        played.retain(|(report, _)| report.games.games() > 0);
        let (json, text) = match played.as_slice() {
            [] => return Ok(()),
            [(report, _)] if pairings.len() == 1 => {
                (serde_json::to_string_pretty(report)?, report.to_string())
            }
            _ => {
                let players: Vec<String> = self.specifications.iter().map(ToString::to_string).collect();
                let report = TournamentReport::new(self.arguments.format, &players, pairings, played);
                (serde_json::to_string_pretty(&report)?, report.to_string())
            }
        };
        let shown = if self.arguments.json { &json } else { &text };
        // First of all: hours of games must not end without a result because the disk is full.
        let printed = writeln!(std::io::stdout(), "{shown}");
        self.output.finish(&json)?;
        printed.context("cannot write the result to standard output")
    }
}

/// Where games are written.
enum GameOutput {
    Folder(Box<GameFolder>),
    File(GameFile),
    Nowhere,
}

impl GameOutput {
    fn open(arguments: &Arguments, specifications: &[&PlayerSpecification]) -> Result<(Self, Vec<Entry>)> {
        if let Some(path) = &arguments.out {
            let mut setup = arguments.options.setup();
            let players: Vec<String> = specifications.iter().map(ToString::to_string).collect();
            setup.insert("players".into(), json!(players));
            setup.insert("games".into(), json!(arguments.games));
            setup.insert("format".into(), json!(arguments.format));
            setup.insert("sprt".into(), json!(sprt(arguments)?));
            let (folder, done) = GameFolder::open(path, &setup.into(), arguments.resume)?;
            return Ok((Self::Folder(Box::new(folder)), done));
        }
        let file = arguments.pgn.as_deref().map(GameFile::open).transpose()?;
        Ok((file.map_or(Self::Nowhere, Self::File), Vec::new()))
    }

    fn add(&mut self, pairing: usize, record: &GameRecord, names: &[String; 2]) -> std::io::Result<()> {
        match self {
            Self::Folder(folder) => folder.append(pairing, record, names),
            Self::File(file) => file.append(record, names),
            Self::Nowhere => Ok(()),
        }
    }

    fn finish(&self, report: &str) -> Result<()> {
        match self {
            Self::Folder(folder) => folder.finish(report),
            Self::File(_) | Self::Nowhere => Ok(()),
        }
    }
}
