//! Tournaments of several players: pairings and the table of ratings.

use std::{fmt, str::FromStr};

use figures::text_table;
use files::run::ResultKind;
use serde::{Deserialize, Serialize};

use crate::{
    matches::{MatchReport, given_name},
    statistics::{PoolRating, PoolResult, Standing, Tally, elo_range, rate_pool},
};

/// The pairings of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// The first player plays each of the other players.
    Gauntlet,
    /// Each player plays each other player.
    RoundRobin,
}

impl TournamentFormat {
    /// Every format with its name, for command lines; the first is the default.
    pub const NAMES: &[(&str, Self)] = &[("gauntlet", Self::Gauntlet), ("round-robin", Self::RoundRobin)];

    /// The matches among `players` players, by their numbers.
    pub fn pairings(self, players: usize) -> Vec<[usize; 2]> {
        let hosts = if self == Self::Gauntlet { players.min(1) } else { players };
        (0..hosts).flat_map(|first| (first + 1..players).map(move |second| [first, second])).collect()
    }
}

impl FromStr for TournamentFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, format)| *format).ok_or_else(|| {
            let known: Vec<&str> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            format!("found {text:?}, expected one of {}", known.join(", "))
        })
    }
}

/// One player's line of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableLine {
    /// The player's text.
    pub player: String,
    /// Wins, draws and losses against the whole field.
    pub games: Tally,
    /// Most likely rating, relative to the mean of the players that have one; `None` if it won or lost everything.
    pub elo: Option<f64>,
    /// Lower end of its 95 % bootstrap interval.
    pub lower: Option<f64>,
    /// Upper end of its 95 % bootstrap interval.
    pub upper: Option<f64>,
    /// Games against each player of the table, in its order; `None` for the player itself and if no games were played.
    pub against: Vec<Option<Tally>>,
}

impl TableLine {
    /// The games against each player of the table as cells of a row, empty where there are none.
    pub(crate) fn against_cells(&self) -> impl Iterator<Item = String> {
        self.against.iter().map(|games| games.map(|games| games.to_string()).unwrap_or_default())
    }
}

/// The result of a tournament; the `--json` output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentReport {
    /// Type and version of the JSON: [`TournamentReport::KIND`].
    pub kind: String,
    /// The pairing system.
    pub format: TournamentFormat,
    /// The players, best first.
    pub table: Vec<TableLine>,
    /// Every match, with its conditions.
    pub matches: Vec<MatchReport>,
}

impl TournamentReport {
    /// Value of the JSON field `kind`.
    pub const KIND: &str = ResultKind::Tournament.text();

    /// The table of `matches`, one for each of `pairings`; the last ones may be missing.
    pub fn new(
        format: TournamentFormat,
        players: &[String],
        pairings: &[[usize; 2]],
        matches: Vec<(MatchReport, Standing)>,
    ) -> Self {
        let results: Vec<PoolResult> = pairings
            .iter()
            .zip(&matches)
            .map(|(&[first, second], (_, standing))| PoolResult { first, second, standing: standing.clone() })
            .collect();
        let ratings = rate_pool(&vec![None; players.len()], &results, 1);
        // The games of each player against each other one.
        let mut tallies = vec![vec![None; players.len()]; players.len()];
        for result in &results {
            let games = result.standing.games();
            tallies[result.first][result.second] = Some(games);
            tallies[result.second][result.first] = Some(games.flipped());
        }
        let totals: Vec<Tally> =
            tallies.iter().map(|against| against.iter().flatten().copied().sum()).collect();
        let mut order: Vec<usize> = (0..players.len()).collect();
        order.sort_by(|&one, &other| {
            let by_rating = rank(&ratings[other], totals[other]).total_cmp(&rank(&ratings[one], totals[one]));
            by_rating.then(totals[other].share().total_cmp(&totals[one].share()))
        });
        let table = order
            .iter()
            .map(|&player| TableLine {
                player: players[player].clone(),
                games: totals[player],
                elo: ratings[player].elo,
                lower: ratings[player].lower,
                upper: ratings[player].upper,
                against: order.iter().map(|&other| tallies[player][other]).collect(),
            })
            .collect();
        let matches = matches.into_iter().map(|(report, _)| report).collect();
        Self { kind: Self::KIND.into(), format, table, matches }
    }
}

/// The sort key of a player: its rating; a player without one won or lost everything, and comes first or last.
fn rank(rating: &PoolRating, games: Tally) -> f64 {
    rating.elo.unwrap_or(if games.share() < 0.5 { f64::NEG_INFINITY } else { f64::INFINITY })
}

impl fmt::Display for TournamentReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for report in &self.matches {
            writeln!(formatter, "{report}\n")?;
        }
        let numbers: Vec<String> = (1..=self.table.len()).map(|number| number.to_string()).collect();
        let header = ["player", "Elo in this field (95 %)", "points"].into_iter();
        let header: Vec<&str> = header.chain(numbers.iter().map(String::as_str)).collect();
        let rows = self.table.iter().zip(&numbers).map(|(line, number)| {
            let about = [
                format!("{number} {}", given_name(&line.player)),
                elo_range(line.elo, line.lower, line.upper),
                format!("{}/{}", line.games.points(), line.games.games()),
            ];
            about.into_iter().chain(line.against_cells()).collect()
        });
        formatter.write_str(&text_table(&header, rows))?;
        write!(
            formatter,
            "\nElo: most likely for all games at once, relative to the middle of the players that have one"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_say_who_meets_whom() {
        assert_eq!(TournamentFormat::Gauntlet.pairings(3), [[0, 1], [0, 2]]);
        assert_eq!(TournamentFormat::RoundRobin.pairings(3), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!("round-robin".parse(), Ok(TournamentFormat::RoundRobin));
        assert!("knockout".parse::<TournamentFormat>().unwrap_err().contains("gauntlet, round-robin"));
    }
}
