//! Ratings of several players from the games they played against each other.

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::{
    RESAMPLES,
    rating::{Observation, interval, most_likely},
    tally::{PairTally, Standing},
};

/// Maximum number of sweeps over the players, after which a fit is taken as it is; chains of a dozen players need about
/// a hundred.
const SWEEPS: usize = 2000;

/// A fit whose ratings move less than this in a sweep has converged, in Elo.
const TOLERANCE: f64 = 0.001;

/// Ratings beyond this distance from the middle of the pool are as good as infinite.
const UNBOUNDED: f64 = 3000.0;

/// The games between two players of a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolResult {
    /// Number of the first player.
    pub first: usize,
    /// Number of the second player.
    pub second: usize,
    /// Their games, seen by the first.
    pub standing: Standing,
}

/// A player's rating in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolRating {
    /// The most likely rating; `None` for a player that won or lost everything.
    pub elo: Option<f64>,
    /// Lower end of the 95 % bootstrap interval; `None` if it is unbounded.
    pub lower: Option<f64>,
    /// Upper end of the 95 % interval.
    pub upper: Option<f64>,
}

/// Points and games between two players in one bootstrap sample.
#[derive(Clone, Copy)]
struct Edge {
    first: usize,
    second: usize,
    games: f64,
    points: f64,
}

/// Fits the logistic model (Bradley and Terry, Biometrika 39, 1952, with draws as half wins) to all games at once. `anchors` fixes
/// the ratings of players whose strength is known, one entry per player; without any, the mean of those that have a rating is 0.
/// Intervals: percentile bootstrap over pairs of games; with few pairs, or if all ended alike, the score interval of single games
/// against opponents of the fitted ratings.
pub fn rate_pool(anchors: &[Option<f64>], results: &[PoolResult], seed: u64) -> Vec<PoolRating> {
    let edges: Vec<Edge> = results.iter().map(edge).collect();
    let ratings = fit(anchors, &edges);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let replicates: Vec<Vec<f64>> = (0..RESAMPLES)
        .map(|_| {
            let edges: Vec<Edge> = results.iter().map(|result| resampled(result, &mut random)).collect();
            fit(anchors, &edges)
        })
        .collect();
    let rating = |player: usize| {
        if anchors[player].is_some() {
            return PoolRating { elo: anchors[player], lower: anchors[player], upper: anchors[player] };
        }
        let Some(elo) = Some(ratings[player]).filter(|elo| elo.is_finite()) else {
            return PoolRating { elo: None, lower: None, upper: None };
        };
        let games: Vec<Observation> = edges
            .iter()
            .filter_map(|edge| seen_by(player, edge, &ratings))
            .filter(|games| games.opponent_elo.is_finite())
            .collect();
        let own = replicates.iter().map(|ratings| ratings[player]).collect();
        let pairs = results
            .iter()
            .filter(|result| result.first == player || result.second == player)
            .map(|result| result.standing.pairs().pairs());
        let [lower, upper] = interval(own, pairs.sum(), &games);
        PoolRating { elo: Some(elo), lower, upper }
    };
    (0..anchors.len()).map(rating).collect()
}

fn edge(result: &PoolResult) -> Edge {
    let tally = result.standing.games();
    let (games, points) = (tally.games() as f64, tally.points());
    Edge { first: result.first, second: result.second, games, points }
}

/// A sample of the pairs, drawn with replacement; games of incomplete pairs are kept unchanged.
fn resampled(result: &PoolResult, random: &mut Xoshiro256PlusPlus) -> Edge {
    let PairTally(counts) = result.standing.pairs();
    let pairs: u64 = counts.iter().sum();
    let paired: f64 = (0..5).map(|outcome| 0.5 * outcome as f64 * counts[outcome] as f64).sum();
    let mut drawn = 0.0;
    for _ in 0..pairs {
        let mut left = random.random_range(..pairs);
        let outcome = counts.iter().position(|&count| {
            let here = left < count;
            left = left.saturating_sub(count);
            here
        });
        drawn += 0.5 * outcome.unwrap_or(4) as f64;
    }
    let whole = edge(result);
    // Games outside complete pairs are kept unchanged.
    Edge { points: whole.points - paired + drawn, ..whole }
}

/// Each player in turn gets the rating that explains its games best, until none moves.
fn fit(anchors: &[Option<f64>], edges: &[Edge]) -> Vec<f64> {
    let mut ratings: Vec<f64> = anchors.iter().map(|anchor| anchor.unwrap_or(0.0)).collect();
    let anchored = anchors.iter().any(Option::is_some);
    // The prior is centred on one value for all players and sweeps. Centring it on the mean of each player's
    // opponents would tie all opponents of an unbeaten player to that player's rating.
    let known: Vec<f64> = anchors.iter().copied().flatten().collect();
    let centre = known.iter().sum::<f64>() / known.len().max(1) as f64;
    for _ in 0..SWEEPS {
        let mut moved: f64 = 0.0;
        for player in (0..anchors.len()).filter(|&player| anchors[player].is_none()) {
            let games: Vec<Observation> =
                edges.iter().filter_map(|edge| seen_by(player, edge, &ratings)).collect();
            let before = ratings[player];
            // One player at a time, with the others as they are now (Gauss-Seidel); sweeps are repeated until nothing moves.
            ratings[player] = if games.is_empty() { 0.0 } else { most_likely(&games) };
            // An infinite rating would drag its opponents along: they keep a finite, hopeless distance.
            ratings[player] = ratings[player].clamp(centre - 2.0 * UNBOUNDED, centre + 2.0 * UNBOUNDED);
            moved = moved.max((ratings[player] - before).abs());
        }
        if moved < TOLERANCE {
            break;
        }
    }
    let middle = ratings.iter().sum::<f64>() / ratings.len().max(1) as f64;
    let infinite = |rating: f64| if rating > middle { f64::INFINITY } else { f64::NEG_INFINITY };
    let is_beyond = |rating: &f64| (rating - middle).abs() > UNBOUNDED;
    // Players without a rating are left out of the mean.
    let rated = || ratings.iter().filter(|rating| !is_beyond(rating));
    let zero = if anchored { 0.0 } else { rated().sum::<f64>() / rated().count().max(1) as f64 };
    ratings.iter().map(|rating| if is_beyond(rating) { infinite(*rating) } else { rating - zero }).collect()
}

/// The games of an edge as `player` saw them; `None` if the player had no part in them.
fn seen_by(player: usize, edge: &Edge, ratings: &[f64]) -> Option<Observation> {
    if edge.games == 0.0 {
        return None;
    }
    let (opponent, points) = if edge.first == player {
        (edge.second, edge.points)
    } else if edge.second == player {
        (edge.first, edge.games - edge.points)
    } else {
        return None;
    };
    Some(Observation { opponent_elo: ratings[opponent], games: edge.games, points })
}
