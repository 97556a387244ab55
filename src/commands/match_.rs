//! `tabiya match`.

mod game_file;
mod progress;

use std::{io::Write as _, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::{Context as _, Result};
use chess::StopSignal;
use strength::{
    Match, MatchSettings, MatchSummary, OpeningBook,
    matches::{Adjudication, DrawRule, ResignRule},
    report::{ContestantConditions, MatchConditions, MatchReport},
};

use self::{game_file::GameFile, progress::Progress};
use crate::player::{PlayerSpecification, help};

/// Play a match between two players and measure their difference.
///
/// Every opening is played with both colours. The result is counted for the first player; its rating difference comes with
/// a 95 % interval, or with a bound where all games ended alike. An illegal move, a crash or a late move loses the game.
/// Ctrl-C ends the match and prints what was played.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = format!("{}\n\nExample:\n  tabiya match default uci=stockfish,option.UCI_LimitStrength=true,\
    option.UCI_Elo=1350,movetime=100 --games 40 --pgn games.pgn", help())
)]
pub(crate) struct Arguments {
    /// The player whose result is counted
    #[arg(value_name = "A")]
    first: PlayerSpecification,
    /// Its opponent
    #[arg(value_name = "B")]
    second: PlayerSpecification,
    /// Number of games, even
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = even)]
    games: u32,
    /// Where games start: `balanced` (a built-in list), `startpos`, `random:PLIES`, or a file of EPD or FEN lines
    #[arg(long, default_value = "balanced", value_name = "OPENINGS")]
    openings: String,
    /// Games played at the same time; with more than processors, players under time limits slow each other down
    #[arg(long, default_value_t = 1, value_name = "N")]
    concurrency: usize,
    /// Seed of openings and of players that leave things to chance
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// File to which every finished game is appended
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Time beyond a limit that costs nothing, milliseconds; on a busy machine engines are late through no fault of theirs
    #[arg(long, default_value_t = 1000, value_name = "MS")]
    time_margin: u64,
    /// Seconds after which a player without any limit of time has lost for giving no answer
    #[arg(long, default_value_t = 120, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    patience: u64,
    /// Call a game drawn after N moves of each player
    #[arg(long, value_name = "N")]
    max_moves: Option<u32>,
    /// Call a game lost when both players see CP centipawns or more for N moves each
    #[arg(long, value_name = "CP:N", value_parser = resign_rule)]
    resign: Option<ResignRule>,
    /// Call a game drawn when, from move M on, both players see CP centipawns or less for N moves each
    #[arg(long, value_name = "M:CP:N", value_parser = draw_rule)]
    draw: Option<DrawRule>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let battle = Match {
        contestants: [arguments.first.contestant()?, arguments.second.contestant()?],
        openings: openings(arguments)?,
        settings: settings(arguments),
    };
    let mut file = arguments.pgn.as_deref().map(GameFile::open).transpose()?;
    let stop = StopSignal::default();
    let signal = stop.clone();
    ctrlc::set_handler(move || signal.stop()).context("cannot watch for Ctrl-C")?;
    let machine = machine();
    let progress = Progress::new(arguments.games);
    let names = battle.contestants.each_ref().map(|contestant| contestant.name.clone());
    let summary = battle.play(&stop, &mut |record, standing| {
        if let Some(file) = &mut file {
            file.append(record, &names)?;
        }
        progress.show(standing);
        Ok(())
    })?;
    progress.finish();
    if !summary.games.is_empty() {
        report(&battle, arguments, &summary, machine)?;
    }
    match summary.ended_early {
        None => Ok(ExitCode::SUCCESS),
        Some(reason) => Err(anyhow::Error::new(reason).context("the match ended early")),
    }
}

fn settings(arguments: &Arguments) -> MatchSettings {
    MatchSettings {
        games: arguments.games,
        concurrency: arguments.concurrency,
        seed: arguments.seed,
        time_margin: Duration::from_millis(arguments.time_margin),
        patience: Duration::from_secs(arguments.patience),
        adjudication: Adjudication {
            max_moves: arguments.max_moves,
            resign: arguments.resign,
            draw: arguments.draw,
        },
    }
}

fn openings(arguments: &Arguments) -> Result<OpeningBook> {
    let pairs = arguments.games.div_ceil(2) as usize;
    Ok(match arguments.openings.as_str() {
        "balanced" => OpeningBook::balanced(arguments.seed)?,
        "startpos" => OpeningBook::start_position(),
        text => match text.strip_prefix("random:") {
            Some(plies) => {
                let plies = plies.parse().with_context(|| {
                    format!("openings {text:?}: expected random:PLIES with a whole number of half-moves")
                })?;
                OpeningBook::random(plies, pairs, arguments.seed)?
            }
            None => OpeningBook::from_file(text.as_ref(), arguments.seed)?,
        },
    })
}

fn report(battle: &Match, arguments: &Arguments, summary: &MatchSummary, machine: String) -> Result<()> {
    let specifications = [&arguments.first, &arguments.second];
    let players = [0, 1].map(|number| ContestantConditions {
        specification: specifications[number].to_string(),
        name: summary.names[number].clone(),
        pace: battle.contestants[number].pace.to_string(),
    });
    let conditions = MatchConditions {
        players,
        games: arguments.games,
        openings: battle.openings.source().into(),
        different_openings: battle.openings.len(),
        seed: arguments.seed,
        concurrency: arguments.concurrency,
        time_margin_ms: arguments.time_margin,
        adjudication: battle.settings.adjudication,
        machine,
        program: format!("tabiya {}", env!("CARGO_PKG_VERSION")),
    };
    let report = MatchReport::new(summary, conditions);
    let text = if arguments.json { serde_json::to_string_pretty(&report)? } else { report.to_string() };
    writeln!(std::io::stdout(), "{text}").context("cannot write the result to standard output")
}

/// Processor, number of threads, system and how busy it was, as far as the system tells.
fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let processor = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_string())
        })
        .unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH));
    let load = std::fs::read_to_string("/proc/loadavg")
        .ok()
        .and_then(|text| text.split_whitespace().next().map(|load| format!(", load {load} at the start")))
        .unwrap_or_default();
    format!("{processor}, {threads} threads, {}{load}", std::env::consts::OS)
}

fn resign_rule(text: &str) -> Result<ResignRule, String> {
    let [centipawns, moves] = numbers(text, "CP:N, such as 600:4")?;
    Ok(ResignRule { centipawns, moves })
}

fn draw_rule(text: &str) -> Result<DrawRule, String> {
    let [from_move, centipawns, moves] = numbers(text, "M:CP:N, such as 40:10:8")?;
    Ok(DrawRule { from_move, centipawns, moves })
}

fn numbers<const N: usize>(text: &str, expected: &str) -> Result<[u32; N], String> {
    let numbers: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok()).collect();
    let numbers: Option<[u32; N]> = numbers.and_then(|numbers| numbers.try_into().ok());
    let with_moves = numbers.filter(|numbers| numbers.last().is_some_and(|&moves| moves > 0));
    with_moves.ok_or_else(|| format!("expected {expected}, with at least one move"))
}

fn even(text: &str) -> Result<u32, String> {
    let games = text.parse().ok().filter(|games: &u32| *games > 0 && games.is_multiple_of(2));
    games.ok_or_else(|| "expected an even number above 0: every opening is played with both colours".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjudication_rules_are_read() {
        assert_eq!(resign_rule("600:4").unwrap(), ResignRule { centipawns: 600, moves: 4 });
        assert_eq!(draw_rule("40:10:8").unwrap(), DrawRule { from_move: 40, centipawns: 10, moves: 8 });
        for text in ["", "600", "600:x", "600:0", "600:4:5", "-1:4"] {
            assert!(resign_rule(text).is_err(), "{text}");
        }
    }
}
