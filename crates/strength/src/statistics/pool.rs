//! Ratings of several players from the games they played against each other.

use std::cmp::Reverse;

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::{
    RESAMPLES, mean,
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
    let mut rated = Vec::with_capacity(anchors.len());
    for (player, &anchor) in anchors.iter().enumerate() {
        if anchor.is_some() || !ratings[player].is_finite() {
            rated.push(PoolRating { elo: anchor, lower: anchor, upper: anchor });
            continue;
        }
        let (mut games, mut pairs) = (Vec::new(), 0);
        for (result, edge) in results.iter().zip(&edges) {
            if let Some(seen) = seen_by(player, edge, &ratings) {
                games.push(seen);
                pairs += result.standing.pairs().pairs();
            }
        }
        let own = replicates.iter().map(|ratings| ratings[player]).filter(|elo| !elo.is_nan()).collect();
        let [lower, upper] = interval(own, pairs, &games);
        rated.push(PoolRating { elo: Some(ratings[player]), lower, upper });
    }
    rated
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
    Edge { points: whole.points - paired + drawn, ..whole }
}

/// Ratings of the largest field in which the games compare everybody, found by giving each player in turn the rating that
/// explains its games best, until none moves. Outside the field: infinite for players that only won against it or only lost,
/// themselves or through others, and no number for those whom nothing compares with it. Without anchors, `whole` is the fit of
/// all games, on whose scale those of a sample are.
///
/// The field comes first because the likelihood has no maximum otherwise: the rating of a player that won everything rises
/// with every sweep, and takes along those whom only this player connects with the others. A prior would hide that; it would
/// also tie players with few games to the middle. Replicates are moved to the scale of `whole` by the players that both rate.
/// Their own mean would do only if a sample rated everybody: if it leaves out the weakest player, all others would seem weaker
/// by a constant, and every interval would be too wide.
fn fit(anchors: &[Option<f64>], edges: &[Edge], whole: Option<&[f64]>) -> Vec<f64> {
    let players = 0..anchors.len();
    let anchored: Vec<usize> = players.clone().filter(|&player| anchors[player].is_some()).collect();
    let field = if anchored.is_empty() {
        players
            .clone()
            .filter(|&player| whole.is_none_or(|whole| whole[player].is_finite()))
            .map(|player| Field::around(&[player], anchors.len(), edges))
            .min_by_key(|field| Reverse(field.size()))
            .filter(|field| field.size() > 1)
    } else {
        Some(Field::around(&anchored, anchors.len(), edges))
    };
    let Some(field) = field else {
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
        let shifts = free.iter().map(|&player| whole.map_or(0.0, |whole| whole[player]) - ratings[player]);
        let shift = mean(shifts.filter(|shift| shift.is_finite())).unwrap_or(0.0);
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
