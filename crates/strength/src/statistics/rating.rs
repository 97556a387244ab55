//! The maximum-likelihood rating from results against opponents of known rating.

use std::fmt;

use figures::NORMAL_97_5;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::{
    BOOTSTRAP_SAMPLES, bisect,
    elo::{NORMAL_MIN_SAMPLES, elo_range, elo_to_score},
    percentile_interval,
};

/// The probability of a result beyond a one-sided bound.
const ONE_SIDED: f64 = 0.05;

/// Halvings of a rating interval: 12,000 points halved this often are a millionth of a point.
const BISECTIONS: u32 = 34;

/// Ratings are searched for within this distance of the opponents': beyond it a score is 0 or 1 in a million games.
const REACH: f64 = 2400.0;

/// Games that form one independent observation: a pair from one opening, or a single puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Observation {
    pub opponent_elo: f64,
    pub games: f64,
    pub points: f64,
}

/// A rating on the scale of its opponents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Rating {
    /// The most likely rating; `None` if every game was won or every game lost.
    pub elo: Option<f64>,
    /// Lower end of the 95 % interval, `None` if unbounded. On its own it is a one-sided 95 % bound.
    pub lower: Option<f64>,
    /// Upper end of the 95 % interval.
    pub upper: Option<f64>,
    pub games: u64,
}

/// The rating with its interval, or the bound that exists, such as `1780 (1700 to 1850)`.
impl fmt::Display for Rating {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A rating, unlike a difference, has no plus sign.
        formatter.write_str(&elo_range(self.elo, self.lower, self.upper).replace('+', ""))
    }
}

/// Fits a rating under the logistic model: the points won equal those expected. The interval is the percentile bootstrap
/// over observations (Efron, Annals of Statistics 7, 1979); from few observations, or from identical ones, it is the score
/// interval of single games; if all games were won or lost it is the rating at which that happens once in twenty times.
/// `None` without games.
pub fn rate(observations: &[Observation], seed: u64) -> Option<Rating> {
    let results = Results::new(observations);
    let all = total(&results.sums);
    if all.games == 0.0 {
        return None;
    }
    let games = all.games.round() as u64;
    let (elo, [lower, upper]) = if all.points <= 0.0 {
        (None, [None, Some(upper_bound(&results.sums))])
    } else if all.points >= all.games {
        (None, [Some(lower_bound(&results.sums)), None])
    } else {
        // All observations are drawn from one urn, not opponent by opponent: puzzles have a rating each, and an urn of one puzzle
        // would give every replicate the same result and the rating an interval of no width.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let replicates = (0..BOOTSTRAP_SAMPLES).map(|_| most_likely(&results.resampled(&mut random)));
        let interval = interval(replicates.collect(), observations.len() as u64, &results.sums);
        (Some(most_likely(&results.sums)), interval)
    };
    Some(Rating { elo, lower, upper, games })
}

/// The rating of [`rate`] without its interval: infinite if all games were won or all lost, 0 without games.
pub fn likely_elo(observations: &[Observation]) -> f64 {
    if observations.is_empty() { 0.0 } else { most_likely(observations) }
}

/// Observations with their sums by opponent.
struct Results {
    observations: Vec<Observation>,
    /// The index of each observation's opponent among the sums.
    opponents: Vec<usize>,
    sums: Vec<Observation>,
}

impl Results {
    fn new(observations: &[Observation]) -> Self {
        let mut observations = observations.to_vec();
        // A thousand replicates are fitted, each by dozens of passes over its results. With sums by opponent, the cost of a replicate depends on the number of levels instead of games.
        observations.sort_by(|one, other| one.opponent_elo.total_cmp(&other.opponent_elo));
        let (mut opponents, mut sums) = (Vec::new(), Vec::new());
        for group in observations.chunk_by(|one, other| one.opponent_elo == other.opponent_elo) {
            opponents.extend(std::iter::repeat_n(sums.len(), group.len()));
            sums.push(total(group));
        }
        Self { observations, opponents, sums }
    }

    /// The sums of as many observations, drawn with replacement.
    fn resampled(&self, random: &mut Xoshiro256PlusPlus) -> Vec<Observation> {
        let mut drawn = self.sums.clone();
        for sum in &mut drawn {
            (sum.games, sum.points) = (0.0, 0.0);
        }
        for _ in 0..self.observations.len() {
            let at = random.random_range(..self.observations.len());
            let (sum, one) = (&mut drawn[self.opponents[at]], self.observations[at]);
            (sum.games, sum.points) = (sum.games + one.games, sum.points + one.points);
        }
        drawn
    }
}

/// Games and points of observations, against the opponent of the last of them.
fn total(observations: &[Observation]) -> Observation {
    Observation {
        opponent_elo: observations.last().map_or(0.0, |last| last.opponent_elo),
        games: observations.iter().map(|one| one.games).sum(),
        points: observations.iter().map(|one| one.points).sum(),
    }
}

/// The 95 % interval of a rating: the 2.5 % and 97.5 % points of its bootstrap replicates (`None` if they are infinite)
/// or, if these rest on few observations or are identical, the score interval of the sums.
pub(super) fn interval(replicates: Vec<f64>, observations: u64, sums: &[Observation]) -> [Option<f64>; 2] {
    let Some([lower, upper]) = percentile_interval(replicates) else { return score_interval(sums) };
    // Resampling few observations, or equal ones, shows less spread than there is.
    if observations < NORMAL_MIN_SAMPLES || upper - lower < 1e-6 {
        return score_interval(sums);
    }
    [lower, upper].map(|value| Some(value).filter(|value| value.is_finite()))
}

/// The ratings at which the points lie 1.96 standard deviations above and below the expected ones (Wilson's
/// interval, for several opponents). Each game counts as won or lost; draws vary less, so the interval errs
/// on the wide side.
fn score_interval(sums: &[Observation]) -> [Option<f64>; 2] {
    [NORMAL_97_5, -NORMAL_97_5].map(|deviations| {
        let end = root(sums, |elo| {
            let (mut excess, mut variance) = (0.0, 0.0);
            for one in sums {
                let expected = elo_to_score(elo - one.opponent_elo);
                excess += one.points - one.games * expected;
                variance += one.games * expected * (1.0 - expected);
            }
            excess - deviations * variance.sqrt()
        });
        Some(end)
    })
}

/// The root of points - expected points, which falls with the rating; infinite if everything was won or lost.
pub(super) fn most_likely(sums: &[Observation]) -> f64 {
    let all = total(sums);
    if all.points <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if all.points >= all.games {
        return f64::INFINITY;
    }
    root(sums, |elo| {
        sums.iter().map(|one| one.points - one.games * elo_to_score(elo - one.opponent_elo)).sum()
    })
}

/// The rating at which winning every game has a probability of 5 %.
fn lower_bound(sums: &[Observation]) -> f64 {
    // The probability rises with the rating, and `root` needs a falling function.
    root(sums, |elo| ONE_SIDED.ln() - log_probability(sums, |opponent_elo| elo - opponent_elo))
}

/// The rating at which losing every game has a probability of 5 %.
fn upper_bound(sums: &[Observation]) -> f64 {
    root(sums, |elo| log_probability(sums, |opponent_elo| opponent_elo - elo) - ONE_SIDED.ln())
}

/// The logarithm of the probability that the side with this `lead` over each opponent's rating wins every game.
fn log_probability(sums: &[Observation], lead: impl Fn(f64) -> f64) -> f64 {
    sums.iter().map(|one| one.games * elo_to_score(lead(one.opponent_elo)).ln()).sum()
}

/// The root of a falling function near the opponents' ratings.
fn root(sums: &[Observation], falling: impl Fn(f64) -> f64) -> f64 {
    let lowest = sums.iter().map(|one| one.opponent_elo).fold(f64::INFINITY, f64::min);
    let highest = sums.iter().map(|one| one.opponent_elo).fold(f64::NEG_INFINITY, f64::max);
    bisect(lowest - REACH, highest + REACH, BISECTIONS, |elo| falling(elo) > 0.0)
}
