//! The options that every command with games shares: openings, rules, seed, threads.

use std::{fmt, sync::Arc, time::Duration};

use anyhow::Result;
use chess::Tablebases;
use strength::{
    MatchSettings, OpeningBook,
    matches::{Adjudication, ContestantConditions, DrawRule, EndgameTable, MatchConditions, ResignRule},
    statistics::Sprt,
};

use crate::machine::{machine, program};

/// How games are played.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct MatchOptions {
    /// Openings: `balanced` (a built-in list), `startpos`, `random:PLIES`, or a file of EPD or FEN lines or PGN games, plain,
    /// .gz, .bz2 or .zst
    #[arg(long, default_value = "balanced", value_name = "OPENINGS")]
    pub(crate) openings: String,
    /// Plies of each game of a PGN file to use as the opening; default: all
    #[arg(long, value_name = "N")]
    pub(crate) opening_plies: Option<usize>,
    /// Games to play in parallel; more than the CPU has cores distorts time limits
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) concurrency: usize,
    /// Seed for openings and random choices of the players
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub(crate) seed: u64,
    /// Grace beyond a time limit in milliseconds, because engines are late on a busy machine
    #[arg(long, default_value_t = 1000, value_name = "MS")]
    pub(crate) time_margin: u64,
    /// Seconds after which a player without a time limit loses by not answering
    #[arg(long, default_value_t = 120, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) patience: u64,
    /// Adjudicate a draw after N moves of each player
    #[arg(long, value_name = "N")]
    pub(crate) max_moves: Option<u32>,
    /// Adjudicate a loss when both players report CP centipawns or more for N moves each
    #[arg(long, value_name = "CP:N", value_parser = resign_rule)]
    pub(crate) resign: Option<ResignRule>,
    /// Adjudicate a draw when, from move M on, both players report CP centipawns or less for N moves each
    #[arg(long, value_name = "M:CP:N", value_parser = draw_rule)]
    pub(crate) draw: Option<DrawRule>,
    /// Adjudicate by the Syzygy tables in these folders (separated by `:`), right after the capture or pawn move that enters
    /// them, under the fifty-move rule
    #[arg(long, value_name = "FOLDERS", value_parser = endgames)]
    pub(crate) syzygy: Option<Endgames>,
}

/// Endgame tables and the folders they are in.
#[derive(Clone)]
pub(crate) struct Endgames {
    folders: String,
    tables: Arc<Tablebases>,
}

impl fmt::Debug for Endgames {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Endgames").field(&self.folders).finish()
    }
}

impl fmt::Display for Endgames {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pieces, files) = (self.tables.max_pieces(), self.tables.files());
        write!(formatter, "Syzygy up to {pieces} pieces, {files} files in {}", self.folders)
    }
}

fn endgames(folders: &str) -> Result<Endgames, String> {
    let (tables, problems) = Tablebases::open(folders);
    if problems.is_empty() && tables.files() > 0 {
        return Ok(Endgames { folders: folders.into(), tables: Arc::new(tables) });
    }
    let none = || "it names no folder; expected folders with .rtbw and .rtbz files".to_string();
    Err(if problems.is_empty() { none() } else { problems.join("; ") })
}

impl MatchOptions {
    /// The settings of a match of so many games.
    pub(crate) fn settings(&self, games: u32) -> MatchSettings {
        MatchSettings {
            games,
            concurrency: self.concurrency,
            seed: self.seed,
            time_margin: Duration::from_millis(self.time_margin),
            patience: Duration::from_secs(self.patience),
            adjudication: self.adjudication(),
            endgames: self
                .syzygy
                .as_ref()
                .map(|endgames| Arc::clone(&endgames.tables) as Arc<dyn EndgameTable>),
            ..MatchSettings::default()
        }
    }

    fn adjudication(&self) -> Adjudication {
        Adjudication { max_moves: self.max_moves, resign: self.resign, draw: self.draw }
    }

    /// Tables that turned out to be damaged while games were played, each named once.
    pub(crate) fn damaged_tables(&self) -> Vec<String> {
        self.syzygy.as_ref().map(|endgames| endgames.tables.take_problems()).unwrap_or_default()
    }

    /// The openings for so many games.
    pub(crate) fn book(&self, games: u32) -> Result<OpeningBook> {
        let pairs = games.div_ceil(2) as usize;
        Ok(OpeningBook::named(&self.openings, self.opening_plies, pairs, self.seed)?)
    }

    /// The circumstances of a match between `players` from `book`.
    pub(crate) fn conditions(
        &self,
        players: [ContestantConditions; 2],
        book: &OpeningBook,
        games: u32,
        sprt: Option<Sprt>,
    ) -> MatchConditions {
        MatchConditions {
            players,
            games,
            openings: book.source().into(),
            different_openings: book.len(),
            seed: self.seed,
            concurrency: self.concurrency,
            time_margin_ms: self.time_margin,
            adjudication: self.adjudication(),
            endgames: self.syzygy.as_ref().map(ToString::to_string),
            sprt,
            machine: machine(),
            program: program(),
        }
    }

    /// What a resumed match must have in common with the interrupted one.
    pub(crate) fn setup(&self) -> serde_json::Map<String, serde_json::Value> {
        let adjudication = serde_json::json!(self.adjudication());
        [
            ("openings", self.openings.clone().into()),
            ("opening_plies", self.opening_plies.into()),
            ("seed", self.seed.into()),
            ("time_margin", self.time_margin.into()),
            ("patience", self.patience.into()),
            ("adjudication", adjudication),
            ("syzygy", self.syzygy.as_ref().map(|endgames| endgames.folders.clone()).into()),
        ]
        .map(|(key, value)| (key.to_string(), value))
        .into_iter()
        .collect()
    }
}

/// Reads `CP:N`.
pub(crate) fn resign_rule(text: &str) -> Result<ResignRule, String> {
    let [centipawns, moves] = numbers(text, "CP:N, such as 600:4")?;
    Ok(ResignRule { centipawns, moves })
}

/// Reads `M:CP:N`.
pub(crate) fn draw_rule(text: &str) -> Result<DrawRule, String> {
    let [from_move, centipawns, moves] = numbers(text, "M:CP:N, such as 40:10:8")?;
    Ok(DrawRule { from_move, centipawns, moves })
}

fn numbers<const N: usize>(text: &str, expected: &str) -> Result<[u32; N], String> {
    let numbers: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok()).collect();
    let numbers: Option<[u32; N]> = numbers.and_then(|numbers| numbers.try_into().ok());
    let with_moves = numbers.filter(|numbers| numbers.last().is_some_and(|&moves| moves > 0));
    with_moves.ok_or_else(|| format!("expected {expected}, with at least one move"))
}

/// An even number of games above 0.
pub(crate) fn even(text: &str) -> Result<u32, String> {
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
