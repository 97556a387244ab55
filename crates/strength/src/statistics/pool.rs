//! Ratings of several players from the games they played against each other.

use std::cmp::Reverse;

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

/// The games between two players of a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolResult {
    /// Number of the first player.
    pub first: usize,
    /// Number of the second player.
    pub second: usize,
    /// The games of both, seen by the first.
    pub standing: Standing,
}

/// A player's rating in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolRating {
    /// The most likely rating; `None` for a player that no games compare with the others on both sides, such as one that won or
    /// lost everything.
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

impl Edge {
    /// Pairs of players of which the first took points from the second.
    fn wins(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let first = (self.points > 0.0).then_some((self.first, self.second));
        let second = (self.points < self.games).then_some((self.second, self.first));
        first.into_iter().chain(second)
    }
}

/// Fits the logistic model (Bradley and Terry, Biometrika 39, 1952, with draws as half wins) to all games at once. `anchors` fixes
/// the ratings of players whose strength is known, one entry per player; without any, the mean of those that have a rating is 0, and
/// the largest group of players that took points from each other has ratings.
/// Intervals: percentile bootstrap over pairs of games; with few pairs, or if all ended alike, the score interval of single games
/// against opponents of the fitted ratings.
pub fn rate_pool(anchors: &[Option<f64>], results: &[PoolResult], seed: u64) -> Vec<PoolRating> {
    let edges: Vec<Edge> = results.iter().map(edge).collect();
    let ratings = fit(anchors, &edges, None);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let replicates: Vec<Vec<f64>> = (0..RESAMPLES)
        .map(|_| {
            let edges: Vec<Edge> = results.iter().map(|result| resampled(result, &mut random)).collect();
            fit(anchors, &edges, Some(&ratings))
        })
        .collect();
    let rating = |player: usize| {
        if anchors[player].is_some() {
            return PoolRating { elo: anchors[player], lower: anchors[player], upper: anchors[player] };
        }
        let Some(elo) = Some(ratings[player]).filter(|elo| elo.is_finite()) else {
            return PoolRating { elo: None, lower: None, upper: None };
        };
        let games: Vec<Observation> =
            edges.iter().filter_map(|edge| seen_by(player, edge, &ratings)).collect();
        let own = replicates.iter().map(|ratings| ratings[player]).filter(|elo| !elo.is_nan()).collect();
        let pairs = results
            .iter()
            .zip(&edges)
            .filter(|(_, edge)| seen_by(player, edge, &ratings).is_some())
            .map(|(result, _)| result.standing.pairs().pairs());
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

/// Ratings of the largest field in which the games compare everybody, found by giving each player in turn the rating that
/// explains its games best, until none moves. Outside the field: infinite for players that only won against it or only lost,
/// themselves or through others, and no number for those whom nothing compares with it. Without anchors, `whole` is the fit of
/// all games, on whose scale those of a sample are.
fn fit(anchors: &[Option<f64>], edges: &[Edge], whole: Option<&[f64]>) -> Vec<f64> {
    let players = 0..anchors.len();
    let anchored: Vec<usize> = players.clone().filter(|&player| anchors[player].is_some()).collect();
    let is_rated = |player: &usize| whole.is_none_or(|whole| whole[*player].is_finite());
    let within: Vec<Field> = if anchored.is_empty() {
        players
            .clone()
            .filter(is_rated)
            .map(|player| Field::around(&[player], anchors.len(), edges))
            .collect()
    } else {
        vec![Field::around(&anchored, anchors.len(), edges)]
    };
    let largest = within.into_iter().min_by_key(|field| Reverse(field.size()));
    let Some(field) = largest.filter(|field| !anchored.is_empty() || field.size() > 1) else {
        return vec![f64::NAN; anchors.len()];
    };
    let mut ratings: Vec<f64> = players.clone().map(|player| field.start(player, anchors[player])).collect();
    let free: Vec<usize> =
        players.filter(|&player| anchors[player].is_none() && ratings[player].is_finite()).collect();
    for _ in 0..SWEEPS {
        let mut moved: f64 = 0.0;
        for &player in &free {
            let games: Vec<Observation> =
                edges.iter().filter_map(|edge| seen_by(player, edge, &ratings)).collect();
            let before = ratings[player];
            // One player at a time, with the others as they are now (Gauss-Seidel); sweeps are repeated until nothing moves.
            ratings[player] = most_likely(&games);
            moved = moved.max((ratings[player] - before).abs());
        }
        if moved < TOLERANCE {
            break;
        }
    }
    if anchored.is_empty() {
        // Players that a sample leaves out of the field would shift the mean of the others.
        let shifts: Vec<f64> = free
            .iter()
            .map(|&player| whole.map_or(0.0, |whole| whole[player]) - ratings[player])
            .filter(|shift| shift.is_finite())
            .collect();
        let shift = shifts.iter().sum::<f64>() / shifts.len().max(1) as f64;
        for rating in &mut ratings {
            *rating += shift;
        }
    }
    ratings
}

/// Players that all took points from each other, themselves or through others, so that their most likely ratings are finite
/// (Ford, American Mathematical Monthly 64, 1957), and where the others stand.
struct Field {
    /// Players that took points from the field, and the field.
    above: Vec<bool>,
    /// Players from which the field took points, and the field.
    below: Vec<bool>,
}

impl Field {
    /// The field of these players, whose distances are known, or of one player.
    fn around(known: &[usize], players: usize, edges: &[Edge]) -> Self {
        let wins: Vec<(usize, usize)> = edges.iter().flat_map(Edge::wins).collect();
        let losses: Vec<(usize, usize)> = wins.iter().map(|&(winner, loser)| (loser, winner)).collect();
        Self { above: reached(known, players, &losses), below: reached(known, players, &wins) }
    }

    fn size(&self) -> usize {
        self.above.iter().zip(&self.below).filter(|(above, below)| **above && **below).count()
    }

    /// The rating of a player before the first sweep.
    fn start(&self, player: usize, anchor: Option<f64>) -> f64 {
        match (self.above[player], self.below[player]) {
            (true, true) => anchor.unwrap_or(0.0),
            (true, false) => f64::INFINITY,
            (false, true) => f64::NEG_INFINITY,
            (false, false) => f64::NAN,
        }
    }
}

/// The players to which steps lead from some.
fn reached(from: &[usize], players: usize, steps: &[(usize, usize)]) -> Vec<bool> {
    let mut reached = vec![false; players];
    let mut open = from.to_vec();
    for &player in &open {
        reached[player] = true;
    }
    while let Some(player) = open.pop() {
        for &(_, to) in steps.iter().filter(|(from, _)| *from == player) {
            if !reached[to] {
                reached[to] = true;
                open.push(to);
            }
        }
    }
    reached
}

/// The games of an edge as `player` saw them; `None` if the player had no part in them, or its opponent has no finite rating: such
/// games give no information about it.
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
    let opponent_elo = ratings[opponent];
    opponent_elo.is_finite().then_some(Observation { opponent_elo, games: edge.games, points })
}
