use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result, ensure};
use files::{Begin, run::FolderKind};
use player::{PlayerSpecification, help, of_recipe};
use strength::{
    MatchSettings,
    campaign::{Campaign, Pairings},
    statistics::{Sprt, SprtModel},
    tournament::TournamentFormat,
};
use terminal::MatchProgress;

use super::{
    campaign,
    match_options::{MatchOptions, even, split_numbers},
};

/// Play matches between players and measure the Elo difference.
///
/// Every opening is played with both colours. Results are for the first player, with a 95 % interval, or a bound if all games
/// ended alike. More than two players play a gauntlet or a round-robin and are rated together. An illegal move, a crash or a
/// time forfeit loses the game. Ctrl-C stops the match and prints the result so far; a match in a folder (--out) can be continued
/// with --resume, even after a kill.
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
    /// Opponents of the first player, and of each other in a round-robin
    #[arg(value_name = "B", required_unless_present = "recipes")]
    others: Vec<PlayerSpecification>,
    /// The player of an experiment, as with recipe=PATH, placed before all others; may be repeated
    #[arg(long = "recipe", value_name = "RECIPE", value_parser = of_recipe)]
    recipes: Vec<PlayerSpecification>,
    /// Games per match, even
    #[arg(long, default_value_t = MatchSettings::GAMES, value_name = "N", value_parser = even)]
    games: u32,
    /// With more than two players: `gauntlet` (the first against each) or `round-robin` (each against each)
    #[arg(long, default_value = TournamentFormat::NAMES[0].0, value_name = "FORMAT")]
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
    #[arg(long, value_name = "FILE.pgn", conflicts_with = "out")]
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
    let entrants = specifications.iter().map(|one| one.entrant()).collect::<Result<Vec<_>, _>>()?;
    let rules = arguments.options.rules();
    let mut plan = Pairings::new(entrants, arguments.format, rules.clone(), arguments.games)?.with_test(sprt);
    let mut campaign = if let Some(path) = &arguments.out {
        let begin = Begin::from_flag(arguments.resume);
        Campaign::in_folder(path, &FolderKind::MATCH, &plan.setup()?, begin)?
    } else {
        if let Some(pgn) = &arguments.pgn {
            rules.check_pgn(pgn)?;
        }
        Campaign::new(arguments.pgn.as_deref())?
    };
    let ended = campaign::play(&mut campaign, &mut plan, &MatchProgress::of_matches())?;
    if let Some(report) = plan.report() {
        campaign::tell(&campaign, &report, &report, arguments.json)?;
    }
    campaign::conclude(&rules, ended, "the match ended early")
}

fn sprt(arguments: &Arguments) -> Result<Option<Sprt>> {
    let model = if arguments.normalized { SprtModel::Normalized } else { SprtModel::Logistic };
    let Some([elo0, elo1]) = arguments.sprt else { return Ok(None) };
    Sprt::new(model, elo0, elo1).map(Some).context("--sprt")
}

fn hypotheses(text: &str) -> Result<[f64; 2], String> {
    split_numbers(text).ok_or_else(|| format!("found {text:?}, expected ELO0:ELO1, such as 0:5"))
}
