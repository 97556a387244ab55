//! The conditions of a match, as its report states them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{adjudication::Adjudication, pace::Pace};
use crate::statistics::Sprt;

/// Everything needed to set up one player again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContestantConditions {
    /// The player's text.
    pub specification: String,
    /// The name the player gave itself.
    pub name: String,
    /// The player's limits, in words.
    pub pace: String,
    /// Its time for each move in milliseconds, if nothing else limited it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_time_ms: Option<u64>,
    /// Origin, as pairs of name and value: hash and recipe of a network, options, command.
    #[serde(default)]
    pub identity: Vec<(String, String)>,
}

/// The name in a player's text (`name=`), otherwise the whole text.
pub fn given_name(specification: &str) -> &str {
    specification.split(',').find_map(|part| part.strip_prefix("name=")).unwrap_or(specification)
}

impl ContestantConditions {
    /// Conditions of a player with this text, name and pace.
    pub fn new(specification: String, name: String, pace: Pace, identity: Vec<(String, String)>) -> Self {
        let alone = Pace { move_time: pace.move_time, ..Pace::default() };
        let move_time_ms = pace.move_time.filter(|_| pace == alone).map(|time| time.as_millis() as u64);
        Self { specification, name, pace: pace.to_string(), move_time_ms, identity }
    }
}

impl fmt::Display for ContestantConditions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}, {} a move", self.specification, self.name, self.pace)
    }
}

/// The conditions of a match, recorded with every result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchConditions {
    /// First and second player.
    pub players: [ContestantConditions; 2],
    /// Requested number of games.
    pub games: u32,
    /// Source of the openings.
    pub openings: String,
    /// Different openings available; with more pairs than that they repeat.
    pub different_openings: usize,
    /// The seed of openings and players.
    pub seed: u64,
    /// Games at the same time.
    pub concurrency: usize,
    /// Time beyond a limit that is not penalised, milliseconds.
    pub time_margin_ms: u64,
    /// Rules beyond those of chess.
    pub adjudication: Adjudication,
    /// Description of the tablebases that ended games.
    pub endgames: Option<String>,
    /// The sequential test that could end the match.
    pub sprt: Option<Sprt>,
    /// Processor, its threads and the system.
    pub machine: String,
    /// The program that ran the match.
    pub program: String,
}

impl MatchConditions {
    /// The conditions as pairs of name and text, the two players first.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines: Vec<_> = self.players.iter().map(|player| ("player", player.to_string())).collect();
        let tables = self.endgames.as_ref().map(|tables| format!(", endgame tables {tables}"));
        lines.extend([
            (
                "openings",
                format!(
                    "{}: {} different, each with both colours; seed {}",
                    self.openings, self.different_openings, self.seed
                ),
            ),
            (
                "rules",
                format!(
                    "{}{}, time margin {} ms, {} at a time",
                    self.adjudication,
                    tables.unwrap_or_default(),
                    self.time_margin_ms,
                    self.concurrency
                ),
            ),
            ("machine", self.machine.clone()),
            ("program", self.program.clone()),
        ]);
        lines
    }
}

impl fmt::Display for MatchConditions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.lines().iter().map(|(name, text)| format!("  {name:<12} {text}")).collect();
        formatter.write_str(&lines.join("\n"))
    }
}

/// CPU model, number of threads, operating system and load average, as far as they are available.
pub fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let load =
        files::system::load_average().map(|load| format!(", load {load} at the start")).unwrap_or_default();
    format!("{}, {threads} threads, {}{load}", files::system::processor_name(), std::env::consts::OS)
}
