//! Rating difference from match results.

use std::fmt;

use figures::{INTERVAL_95, NORMAL_97_5};
use serde::{Deserialize, Serialize};
use statrs::function::{beta::beta_reg, erf::erfc};

use super::{
    bisect,
    tally::{PairTally, SCORES, Standing, Tally},
};

/// Fewest games or pairs for which the normal approximation of the interval is used; below it the exact interval is
/// used.
pub const NORMAL_MIN_SAMPLES: u64 = 10;

/// The method of computing an interval from games or pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Two-sided 95 %: mean +- 1.96 standard errors of the pairs' points, as fastchess and Fishtest print it.
    PairsNormal,
    /// Two-sided 95 %: mean +- 1.96 standard errors of single games (trinomial), for games that form no pairs.
    GamesNormal,
    /// Two-sided 95 %: Clopper-Pearson on the points of single games, where the normal approximation fails (few games,
    /// identical results, or an interval that leaves 0..1).
    GamesExact,
    /// One-sided 95 % bound, Clopper-Pearson, for a score of exactly 0 or 1: only one end exists.
    OneSided,
}

/// A rating difference with its uncertainty; positive if the player is stronger than the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EloEstimate {
    /// Share of points won, 0 to 1.
    pub score: f64,
    /// Rating difference; `None` for a score of 0 or 1, which has none.
    pub elo: Option<f64>,
    /// Lower end of the 95 % interval; `None` if it is unbounded.
    pub lower: Option<f64>,
    /// Upper end of the 95 % interval; `None` if it is unbounded.
    pub upper: Option<f64>,
    /// The method of computing the interval, named in reports.
    pub method: IntervalMethod,
    /// Likelihood of superiority: the probability that the player is the stronger one, 0 to 1.
    pub superiority: f64,
    /// Games on which the estimate is based.
    pub games: u64,
}

/// Normalized Elo: the score's distance from 1/2 in standard deviations of one game, on an Elo-like scale. Unlike Elo
/// it does not depend on how drawish the openings are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalizedElo {
    /// Estimate, positive if the first player is stronger.
    pub elo: f64,
    /// Half width of its 95 % interval.
    pub error: f64,
}

/// Elo difference at which this share of points is expected: the logistic model, -400 log10(1/s - 1). Infinite at 0
/// and 1.
pub fn score_to_elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Share of points expected at a rating difference: the logistic model, 1 / (1 + 10^(-d/400)).
pub fn elo_to_score(difference: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-difference / 400.0))
}

/// The difference that single games show (trinomial model); `None` without games.
///
/// The variance of one game is that of its points, `E[x^2] - E[x]^2`; the mean of n games has one n-th of it.
pub fn elo_from_games(games: Tally) -> Option<EloEstimate> {
    let samples = [(0.0, games.losses), (0.5, games.draws), (1.0, games.wins)];
    let moments = Moments::of(&samples)?;
    Some(estimate(games, moments, IntervalMethod::GamesNormal))
}

/// The difference that pairs of games show (pentanomial model); `None` without a complete pair.
///
/// A pair's points are one observation, so the correlation of its two games through their opening widens or narrows the
/// interval as it should. Formulas: Van den Bergh, "Normalized Elo" (2021), and the results of fastchess.
pub fn elo_from_pairs(pairs: PairTally) -> Option<EloEstimate> {
    let moments = pair_moments(pairs)?;
    // Only the points matter for the exact interval; the split into wins and draws inside a pair is not recorded.
    let half_points: u64 = (0..).zip(pairs.0).map(|(points, count): (u64, u64)| points * count).sum();
    let games = 2 * pairs.pairs();
    let tally = Tally { wins: half_points / 2, draws: half_points % 2, losses: 0 };
    let tally = Tally { losses: games - tally.wins - tally.draws, ..tally };
    Some(estimate(tally, moments, IntervalMethod::PairsNormal))
}

/// The difference that a whole match shows: from its pairs if their normal approximation is sound, otherwise the exact
/// interval of all its games; from games alone if no pair is complete. `None` without games.
pub fn elo_from_standing(standing: &Standing) -> Option<EloEstimate> {
    match elo_from_pairs(standing.pairs()) {
        Some(estimate) if estimate.method == IntervalMethod::PairsNormal => Some(estimate),
        Some(_) => Some(exact(standing.games())),
        None => elo_from_games(standing.games()),
    }
}

/// Normalized Elo of pairs; `None` without a complete pair or if all pairs ended alike.
///
/// (s - 1/2) / (sigma sqrt 2) * 800 / ln 10, where sigma is the standard deviation of a pair's mean score, so sigma
/// sqrt 2 is the standard deviation of one game (Van den Bergh, "Normalized Elo", 2021). Its variance is 1 / (number of
/// games).
pub fn normalized_elo(pairs: PairTally) -> Option<NormalizedElo> {
    let moments = pair_moments(pairs)?;
    if moments.variance <= 0.0 {
        return None;
    }
    let scale = 800.0 / std::f64::consts::LN_10;
    let games = 2.0 * moments.samples as f64;
    Some(NormalizedElo {
        elo: (moments.mean - 0.5) / (2.0 * moments.variance).sqrt() * scale,
        error: NORMAL_97_5 * scale / games.sqrt(),
    })
}

/// Mean and variance of independent observations.
#[derive(Clone, Copy)]
struct Moments {
    samples: u64,
    mean: f64,
    variance: f64,
}

impl Moments {
    fn of(counted: &[(f64, u64)]) -> Option<Self> {
        let samples: u64 = counted.iter().map(|(_, count)| count).sum();
        if samples == 0 {
            return None;
        }
        let sum: f64 = counted.iter().map(|&(value, count)| value * count as f64).sum();
        let mean = sum / samples as f64;
        let squares: f64 =
            counted.iter().map(|&(value, count)| (value - mean) * (value - mean) * count as f64).sum();
        Some(Self { samples, mean, variance: squares / samples as f64 })
    }

    fn standard_error(self) -> f64 {
        (self.variance / self.samples as f64).sqrt()
    }
}

fn pair_moments(pairs: PairTally) -> Option<Moments> {
    let counted: Vec<(f64, u64)> = SCORES.into_iter().zip(pairs.0).collect();
    Moments::of(&counted)
}

/// Chooses the interval: normal if it is sound, exact otherwise, one-sided at the ends of the scale.
///
/// The normal interval is computed on the scale of scores and then converted, because the error of a mean is symmetric there
/// and not in Elo. It is unsound in three cases, all common in small matches: with few observations; with equal ones, whose
/// variance of 0 would claim certainty; and if it leaves 0 to 1, where no Elo exists.
fn estimate(games: Tally, moments: Moments, normal: IntervalMethod) -> EloEstimate {
    let score = moments.mean;
    let margin = NORMAL_97_5 * moments.standard_error();
    let (low, high) = (score - margin, score + margin);
    if moments.samples < NORMAL_MIN_SAMPLES || moments.variance <= 0.0 || low <= 0.0 || high >= 1.0 {
        return exact(games);
    }
    EloEstimate {
        score,
        elo: Some(score_to_elo(score)),
        lower: Some(score_to_elo(low)),
        upper: Some(score_to_elo(high)),
        method: normal,
        superiority: 0.5 * erfc((0.5 - score) / moments.standard_error() / std::f64::consts::SQRT_2),
        games: games.games(),
    }
}

/// Clopper and Pearson (Biometrika 26, 1934), with a draw counted as half a win and half a loss: draws vary
/// less than wins and losses of the same mean, so the interval errs on the wide side. Superiority is that of
/// the Beta posterior after a uniform prior.
fn exact(tally: Tally) -> EloEstimate {
    let (games, points) = (tally.games() as f64, tally.points());
    let lost = games - points;
    let one_sided = points == 0.0 || lost == 0.0;
    let tail = if one_sided { 0.05 } else { INTERVAL_95[0] };
    let lower = (points > 0.0).then(|| beta_elo(points, lost + 1.0, tail));
    let upper = (lost > 0.0).then(|| beta_elo(points + 1.0, lost, 1.0 - tail));
    EloEstimate {
        score: points / games,
        elo: (!one_sided).then(|| score_to_elo(points / games)),
        lower,
        upper,
        method: if one_sided { IntervalMethod::OneSided } else { IntervalMethod::GamesExact },
        superiority: 1.0 - cumulative_beta(points + 1.0, lost + 1.0, 0.5),
        games: tally.games(),
    }
}

/// Parameters of a Beta distribution above which it is normal: its continued fraction converges in about the root of the larger one.
const BALANCED: f64 = 2000.0;

/// Halvings of an interval of ratings.
const BISECTIONS: u32 = 80;

/// Ratings are searched for within this many units of 400 / ln 10 Elo, beyond which a score is 0 or 1 in 10^17 games.
const REACH: f64 = 40.0;

/// The rating difference whose score is the quantile `level` of a Beta distribution. Found by bisection,
/// because the library's inverse does not terminate for a hundred thousand games.
fn beta_elo(a: f64, b: f64, level: f64) -> f64 {
    let logit = bisect(-REACH, REACH, BISECTIONS, |logit| {
        // Computed from the smaller of score and 1 - score: next to 1 an `f64` cannot tell the scores of strong players from each
        // other, and the search would stop at the first that rounds to 1.
        let probability = if logit >= 0.0 {
            1.0 - cumulative_beta(b, a, logistic(-logit))
        } else {
            cumulative_beta(a, b, logistic(logit))
        };
        probability < level
    });
    400.0 / std::f64::consts::LN_10 * logit
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// The probability that a number of a Beta distribution is at most `x`.
fn cumulative_beta(a: f64, b: f64, x: f64) -> f64 {
    if a.min(b) <= BALANCED {
        return beta_reg(a, b, x);
    }
    let mean = a / (a + b);
    let deviation = (mean * (1.0 - mean) / (a + b + 1.0)).sqrt();
    0.5 * erfc((mean - x) / deviation / std::f64::consts::SQRT_2)
}

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
