//! Options of every command that plays games: openings, rules, seed, threads.

use std::{str::FromStr, time::Duration};

use strength::{
    MatchSettings, OpeningBook,
    campaign::{EndgameFolders, Rules},
    matches::{Adjudication, DrawRule, ResignRule},
};

use crate::commands::machine::{machine, program};

/// Rules of the games.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct MatchOptions {
    /// Openings: `balanced` (a built-in list), `startpos`, `random:PLIES`, `endgames:PIECES` (random positions with
    /// at most that many pieces), or a file of EPD or FEN lines or PGN games, plain, .gz, .bz2 or .zst
    #[arg(long, default_value = OpeningBook::BALANCED, value_name = "OPENINGS")]
    pub(crate) openings: String,
    /// Plies of each game of a PGN file to use as the opening; default: all
    #[arg(long, value_name = "N")]
    pub(crate) opening_plies: Option<usize>,
    /// Games to play in parallel; more games than CPU cores distort time limits
    #[arg(long, default_value_t = MatchSettings::CONCURRENCY, value_name = "N")]
    pub(crate) concurrency: usize,
    /// Seed for openings and random choices of the players
    #[arg(long, default_value_t = MatchSettings::SEED, value_name = "S")]
    pub(crate) seed: u64,
    /// Milliseconds that a move may exceed its time limit, because engines are late on a busy machine
    #[arg(long, default_value_t = MatchSettings::TIME_MARGIN.as_millis() as u64, value_name = "MS")]
    pub(crate) time_margin: u64,
    /// Seconds without an answer after which a player without a time limit loses
    #[arg(long, default_value_t = MatchSettings::PATIENCE.as_secs(), value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
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
    /// Adjudicate by the Syzygy tables in these folders (separated by `:`) as soon as their result is certain under the fifty-move
    /// rule
    #[arg(long, value_name = "FOLDERS", value_parser = EndgameFolders::open)]
    pub(crate) syzygy: Option<EndgameFolders>,
}

impl MatchOptions {
    /// The rules of a campaign.
    pub(crate) fn rules(&self) -> Rules {
        let &Self { concurrency, seed, max_moves, resign, draw, .. } = self;
        Rules {
            openings: self.openings.clone(),
            opening_plies: self.opening_plies,
            settings: MatchSettings {
                concurrency,
                seed,
                time_margin: Duration::from_millis(self.time_margin),
                patience: Duration::from_secs(self.patience),
                adjudication: Adjudication { max_moves, resign, draw },
                ..MatchSettings::default()
            },
            endgames: self.syzygy.clone(),
            machine: machine(),
            program: program(),
        }
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
    let numbers =
        split_numbers(text).filter(|numbers: &[u32; N]| numbers.last().is_some_and(|&moves| moves > 0));
    numbers.ok_or_else(|| format!("expected {expected}, with at least one move"))
}

/// So many numbers with colons between them.
pub(crate) fn split_numbers<T: FromStr, const N: usize>(text: &str) -> Option<[T; N]> {
    let numbers: Option<Vec<T>> = text.split(':').map(|part| part.parse().ok()).collect();
    numbers?.try_into().ok()
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
