//! The level of people whose moves a side's moves are most like.

use std::sync::Arc;

use chess::{EvaluationRequest, Evaluator, EvaluatorError, Game, Move, encoding::input::longest_history};
use serde::{Deserialize, Serialize};

/// Drop in log likelihood at the ends of a 95 % interval: half of the 0.95 quantile of chi squared with one degree of freedom
/// (Wilks 1938).
const INTERVAL_FALL: f64 = 1.92;
/// Least probability of a move, so that a move that a network excludes does not decide everything.
const LEAST_LIKELIHOOD: f64 = 1e-4;
/// Rating points between the ratings that are compared; far below the width of any interval.
const STEP: f64 = 10.0;

/// The level that makes a side's moves likeliest, as the rating of the people who play like that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PlayedLevel {
    /// Moves that were compared: those with a choice.
    pub moves: usize,
    /// The likeliest rating, within those of the networks.
    pub rating: f64,
    /// Lower end of the 95 % interval; `null` if it lies below the weakest network's rating.
    pub low: Option<f64>,
    /// Upper end of the interval; `null` if it lies above the strongest network's rating.
    pub high: Option<f64>,
}

impl PlayedLevel {
    /// Moves with a choice from which on a level is estimated. Chosen: the intervals of fewer moves reach over nearly all levels.
    pub const LEAST_MOVES: usize = 10;

    /// Estimates the level of moves, each with its probability among people of each of the `ratings`, which rise. `None` for too
    /// few moves, for fewer than two ratings, and if the moves exclude none of them.
    pub fn estimate(ratings: &[f64], moves: &[&[f64]]) -> Option<Self> {
        let (&first, &last) = (ratings.first()?, ratings.last()?);
        if moves.len() < Self::LEAST_MOVES || ratings.len() < 2 {
            return None;
        }
        let mut points = Vec::with_capacity(ratings.len());
        for (level, &rating) in ratings.iter().enumerate() {
            let likelihood = moves.iter().map(|one| one[level].max(LEAST_LIKELIHOOD).ln()).sum();
            points.push(Point { rating, likelihood });
        }
        // The networks are of a few ratings only, hundreds of points apart. Between them the likelihood is interpolated and searched
        // in small steps, not by a formula: the curve need not have a single maximum.
        let steps = ((last - first) / STEP).round().max(1.0) as usize;
        let mut curve = Vec::with_capacity(steps + 1);
        for step in 0..=steps {
            let rating = first + (last - first) * step as f64 / steps as f64;
            curve.push(Point { rating, likelihood: interpolated(&points, rating) });
        }
        let likeliest = curve.iter().max_by(|one, other| one.likelihood.total_cmp(&other.likelihood))?;
        // The interval has all ratings that are not much less likely. An end at the weakest or strongest network is no end: weaker or
        // stronger people may play like that as well.
        let least = likeliest.likelihood - INTERVAL_FALL;
        let low = curve.iter().position(|point| point.likelihood >= least).filter(|&place| place > 0);
        let high = curve.iter().rposition(|point| point.likelihood >= least).filter(|&place| place < steps);
        if low.is_none() && high.is_none() {
            return None;
        }
        Some(Self {
            moves: moves.len(),
            rating: likeliest.rating,
            low: low.map(|place| curve[place].rating),
            high: high.map(|place| curve[place].rating),
        })
    }

    /// The levels of White's and Black's moves in a game. `people` are the networks that play like people, with their ratings,
    /// the weakest first.
    ///
    /// # Errors
    /// Any error of a network.
    pub fn of_game(
        game: &Game,
        people: &[(f64, Arc<dyn Evaluator>)],
    ) -> Result<[Option<Self>; 2], EvaluatorError> {
        let ratings: Vec<f64> = people.iter().map(|(rating, _)| *rating).collect();
        let mut sides = [Vec::new(), Vec::new()];
        let mut replayed = game.at_ply(0);
        for &played in game.moves() {
            let position = replayed.tail(longest_history());
            let legal = position.legal_moves();
            // A forced move is as likely among people of every rating, and says nothing.
            if legal.len() > 1
                && let Some(place) = legal.iter().position(|&one| one == played)
            {
                let mut likelihoods = Vec::with_capacity(people.len());
                for (_, evaluator) in people {
                    likelihoods.push(f64::from(priors(evaluator.as_ref(), &position, &legal)?[place]));
                }
                sides[replayed.turn().fold_wb(0, 1)].push(likelihoods);
            }
            replayed.play_unchecked(played);
        }
        Ok(sides.map(|moves| Self::estimate(&ratings, &moves.iter().map(Vec::as_slice).collect::<Vec<_>>())))
    }
}

/// A network's probabilities of the legal moves of a game's last position.
///
/// # Errors
/// Any error of the network.
///
/// # Panics
/// If the network answers no request, which breaks a law of evaluators.
pub fn priors(evaluator: &dyn Evaluator, game: &Game, legal: &[Move]) -> Result<Vec<f32>, EvaluatorError> {
    let request = EvaluationRequest { game, legal_moves: legal };
    Ok(evaluator.evaluate(&[request])?.pop().expect("law 1: an answer for each request").priors)
}

/// A point of the likelihood curve.
#[derive(Clone, Copy, Debug)]
struct Point {
    rating: f64,
    /// Log likelihood of the moves among people of this rating.
    likelihood: f64,
}

/// A smooth curve through points whose ratings rise: between two of them, the weighted mean of the parabolas through both and the
/// point before or behind (Overhauser 1968). A log likelihood is nearly a parabola.
fn interpolated(points: &[Point], rating: f64) -> f64 {
    let behind = points.partition_point(|point| point.rating <= rating).clamp(1, points.len() - 1);
    let [left, right] = [points[behind - 1], points[behind]];
    let share = (rating - left.rating) / (right.rating - left.rating);
    let earlier = behind.checked_sub(2).map(|from| parabola(&points[from..=behind], rating));
    let later = points.get(behind - 1..behind + 2).map(|three| parabola(three, rating));
    match (earlier, later) {
        (Some(earlier), Some(later)) => earlier + (later - earlier) * share,
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => left.likelihood + (right.likelihood - left.likelihood) * share,
    }
}

/// The value at `rating` of the parabola through three points, by Lagrange's formula.
fn parabola(points: &[Point], rating: f64) -> f64 {
    let mut sum = 0.0;
    for (index, point) in points.iter().enumerate() {
        let mut weight = 1.0;
        for (other_index, other) in points.iter().enumerate() {
            if other_index != index {
                weight *= (rating - other.rating) / (point.rating - other.rating);
            }
        }
        sum += point.likelihood * weight;
    }
    sum
}

#[cfg(test)]
mod tests;
