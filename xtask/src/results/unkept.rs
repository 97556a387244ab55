//! Matches whose result file was not kept, and sums of matches: their figures are typed, and are compared with each
//! other as far as possible.

use anyhow::{Result, ensure};
use serde::Deserialize;

/// Games and difference of one or several matches as they were printed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnkeptMatch {
    wins: u32,
    draws: u32,
    losses: u32,
    /// Difference in Elo, and its 95 % interval.
    elo: i32,
    lower: i32,
    upper: i32,
}

impl UnkeptMatch {
    /// The figure in the same words as a figure from a file.
    pub(super) fn figure(&self) -> Result<String> {
        let Self { wins, draws, losses, elo, lower, upper } = self;
        let games = f64::from(wins + draws + losses);
        let score = (f64::from(*wins) + f64::from(*draws) / 2.0) / games;
        let expected = -400.0 * (1.0 / score - 1.0).log10();
        // One more than rounding: the difference is that of complete pairs, and a match that was ended early has games
        // without their second game.
        ensure!(
            (expected - f64::from(*elo)).abs() <= 1.0,
            "{wins} wins, {draws} draws, {losses} losses are {expected:+.1} Elo, found {elo:+}"
        );
        ensure!(lower < elo && elo < upper, "{elo:+} lies outside its interval of {lower:+} to {upper:+}");
        Ok(format!("{wins} wins, {draws} draws, {losses} losses, {elo:+} ({lower:+} to {upper:+}) Elo"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_follows_from_the_games() {
        let played = |elo, lower| UnkeptMatch { wins: 66, draws: 15, losses: 19, elo, lower, upper: 241 };
        let figure = played(177, 123).figure().unwrap();
        assert_eq!(figure, "66 wins, 15 draws, 19 losses, +177 (+123 to +241) Elo");
        let error = played(197, 123).figure().unwrap_err().to_string();
        assert_eq!(error, "66 wins, 15 draws, 19 losses are +177.2 Elo, found +197");
        assert!(played(177, 178).figure().is_err());
    }
}
