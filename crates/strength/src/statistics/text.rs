//! Ratings and rating differences in words, with their intervals.

use std::fmt;

use super::elo::{EloEstimate, IntervalMethod};

/// A rating with its interval in words; of the interval, the bounds that exist.
pub fn elo_range(elo: Option<f64>, lower: Option<f64>, upper: Option<f64>) -> String {
    match (elo, lower, upper) {
        (Some(elo), Some(lower), Some(upper)) => format!("{elo:+.0} ({lower:+.0} to {upper:+.0})"),
        (Some(elo), Some(lower), None) => format!("{elo:+.0} (at least {lower:+.0})"),
        (Some(elo), None, Some(upper)) => format!("{elo:+.0} (at most {upper:+.0})"),
        (None, Some(lower), None) => format!("at least {lower:+.0}"),
        (None, None, Some(upper)) => format!("at most {upper:+.0}"),
        _ => "unknown".into(),
    }
}

/// A rating difference in words, always with its interval.
#[derive(Clone, Copy, Debug)]
pub struct EloText(pub EloEstimate);

impl fmt::Display for EloText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EloEstimate { elo, lower, upper, method, games, .. } = self.0;
        match (elo, lower, upper) {
            (Some(elo), Some(lower), Some(upper)) => {
                write!(formatter, "{elo:+.1} (95 %: {lower:+.1} to {upper:+.1}, {})", words(method))
            }
            // A bound on the wrong side of 0 is useless: a single won game gives "at least -511".
            (_, Some(lower), _) if lower < 0.0 => write!(formatter, "unknown: {}", few(games, "won")),
            (_, _, Some(upper)) if upper > 0.0 => write!(formatter, "unknown: {}", few(games, "lost")),
            (_, Some(lower), _) => {
                write!(formatter, "at least {lower:+.1} (95 %, one-sided: all {games} games were won)")
            }
            (_, _, Some(upper)) => {
                write!(formatter, "at most {upper:+.1} (95 %, one-sided: all {games} games were lost)")
            }
            _ => write!(formatter, "unknown"),
        }
    }
}

fn few(games: u64, ending: &str) -> String {
    let games = if games == 1 { "the only game was".into() } else { format!("all {games} games were") };
    format!("{games} {ending}, which is too few for a bound")
}

fn words(method: IntervalMethod) -> &'static str {
    match method {
        IntervalMethod::PairsNormal => "from pairs",
        IntervalMethod::GamesNormal => "from single games",
        IntervalMethod::GamesExact => "exact, from single games",
        IntervalMethod::OneSided => "one-sided",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Tally, elo_from_games};

    #[test]
    fn bounds_and_intervals_in_words() {
        let text =
            |wins, draws, losses| EloText(elo_from_games(Tally { wins, draws, losses }).unwrap()).to_string();
        assert_eq!(text(0, 0, 5), "at most -34.4 (95 %, one-sided: all 5 games were lost)");
        assert_eq!(text(1, 0, 0), "unknown: the only game was won, which is too few for a bound");
        assert_eq!(text(0, 0, 4), "unknown: all 4 games were lost, which is too few for a bound");
        assert!(text(100, 0, 0).starts_with("at least +"), "{}", text(100, 0, 0));
        assert_eq!(text(50, 0, 50), "+0.0 (95 %: -69.0 to +69.0, from single games)");
        assert!(text(3, 1, 2).contains("exact"));
    }
}
