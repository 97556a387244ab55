//! The rating at which results against opponents of known rating are most likely.

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::elo::elo_to_score;

/// Bootstrap samples behind an interval.
pub const BOOTSTRAP_SAMPLES: usize = 1000;

/// Halvings of a rating interval: 12,000 points halved this often are a millionth of a point.
const BISECTIONS: u32 = 34;

/// Ratings are looked for within this distance of the opponents': beyond it a score is 0 or 1 in a million games.
const REACH: f64 = 2400.0;

/// Games that form one independent observation: a pair from one opening, or a single puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Rating of the opponent.
    pub opponent_elo: f64,
    /// Games.
    pub games: f64,
    /// Points won in them.
    pub points: f64,
}

/// A rating on the scale of its opponents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The most likely rating; `None` where every game was won or every game lost.
    pub elo: Option<f64>,
    /// Lower end of the 95 % interval; `None` where there is none. Alone it is a one-sided 95 % bound.
    pub lower: Option<f64>,
    /// Upper end, likewise.
    pub upper: Option<f64>,
    /// Games.
    pub games: u64,
}

/// Fits a rating under the logistic model: the points won equal those expected. The interval is the percentile bootstrap
/// over observations (Efron, Annals of Statistics 7, 1979), drawn separately for each opponent; where all games were won or
/// lost it is the rating at which that happens once in twenty times. `None` without games.
pub fn rate(observations: &[Observation], seed: u64) -> Option<Rating> {
    let strata = strata(observations);
    let sums: Vec<Observation> = strata.iter().map(|stratum| total(stratum.iter().copied())).collect();
    let all = total(sums.iter().copied());
    if all.games == 0.0 {
        return None;
    }
    let games = all.games.round() as u64;
    if all.points <= 0.0 || all.points >= all.games {
        let bound = Some(bound(&sums, all.points > 0.0));
        let (lower, upper) = if all.points > 0.0 { (bound, None) } else { (None, bound) };
        return Some(Rating { elo: None, lower, upper, games });
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut replicates: Vec<f64> =
        (0..BOOTSTRAP_SAMPLES).map(|_| most_likely(&resampled(&strata, &mut random))).collect();
    replicates.sort_by(f64::total_cmp);
    let [lower, upper] = percentiles(&replicates);
    Some(Rating { elo: Some(most_likely(&sums)), lower, upper, games })
}

/// The rating of [`rate`] without its interval: infinite where all games were won or all lost, 0 without games.
pub fn likely_elo(observations: &[Observation]) -> f64 {
    let sums: Vec<Observation> =
        strata(observations).iter().map(|stratum| total(stratum.iter().copied())).collect();
    if sums.is_empty() { 0.0 } else { most_likely(&sums) }
}

/// The 2.5 % and 97.5 % points of sorted replicates; `None` where they are infinite.
pub(super) fn percentiles(sorted: &[f64]) -> [Option<f64>; 2] {
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    [at(0.025), at(0.975)].map(|value| Some(value).filter(|value| value.is_finite()))
}

/// Observations by opponent.
fn strata(observations: &[Observation]) -> Vec<Vec<Observation>> {
    let mut sorted = observations.to_vec();
    sorted.sort_by(|one, other| one.opponent_elo.total_cmp(&other.opponent_elo));
    sorted.chunk_by(|one, other| one.opponent_elo == other.opponent_elo).map(<[_]>::to_vec).collect()
}

fn total(observations: impl Iterator<Item = Observation>) -> Observation {
    observations.fold(Observation { opponent_elo: 0.0, games: 0.0, points: 0.0 }, |sum, one| Observation {
        opponent_elo: one.opponent_elo,
        games: sum.games + one.games,
        points: sum.points + one.points,
    })
}

fn resampled(strata: &[Vec<Observation>], random: &mut Xoshiro256PlusPlus) -> Vec<Observation> {
    let draw = |stratum: &Vec<Observation>, random: &mut Xoshiro256PlusPlus| {
        total((0..stratum.len()).map(|_| stratum[random.random_range(..stratum.len())]))
    };
    strata.iter().map(|stratum| draw(stratum, random)).collect()
}

/// The root of points - expected points, which falls with the rating; infinite where all was won or lost.
pub(super) fn most_likely(sums: &[Observation]) -> f64 {
    let all = total(sums.iter().copied());
    if all.points <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if all.points >= all.games {
        return f64::INFINITY;
    }
    bisect(sums, |elo| {
        sums.iter().map(|one| one.points - one.games * elo_to_score(elo - one.opponent_elo)).sum()
    })
}

/// The rating at which winning (or losing) every game has the probability 5 %.
fn bound(sums: &[Observation], won: bool) -> f64 {
    let log_probability = |elo: f64| -> f64 {
        sums.iter()
            .map(|one| {
                let sign = if won { 1.0 } else { -1.0 };
                one.games * elo_to_score(sign * (elo - one.opponent_elo)).ln()
            })
            .sum()
    };
    bisect(sums, |elo| {
        let excess = log_probability(elo) - 0.05_f64.ln();
        if won { -excess } else { excess }
    })
}

/// The root of a falling function near the opponents' ratings.
fn bisect(sums: &[Observation], falling: impl Fn(f64) -> f64) -> f64 {
    let elos = || sums.iter().map(|one| one.opponent_elo);
    let mut low = elos().fold(f64::INFINITY, f64::min) - REACH;
    let mut high = elos().fold(f64::NEG_INFINITY, f64::max) + REACH;
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if falling(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
