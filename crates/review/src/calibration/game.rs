//! The review of one game.

use crate::{GameReview, Judgement, ReviewScale};
use chess::{Search, StopSignal};

use crate::calibration::{RatedGame, ReviewError, ReviewedGame};

/// Reviews a game with `nodes` visits of each position, ten times as many at its marks. The search forgets earlier games first: a review does not depend on them.
///
/// # Errors
/// [`ReviewError::Search`] if the search fails, [`ReviewError::Interrupted`] if `stop` is signalled.
pub fn review(
    rated: RatedGame,
    nodes: u64,
    search: &mut dyn Search,
    stop: &StopSignal,
) -> Result<ReviewedGame, ReviewError> {
    search.new_game();
    // The scale changes only how the losses are judged.
    let mut review = GameReview::new(rated.game, nodes, ReviewScale::CALIBRATED);
    while review.advance(search, stop)? {
        if stop.is_stopped() {
            return Err(ReviewError::Interrupted);
        }
    }
    let points = review.points();
    let judged = || points.iter().filter(|point| point.loss.is_some());
    Ok(ReviewedGame {
        ratings: rated.ratings,
        first: review.first(),
        values: points.iter().map(|point| point.white_percent).collect(),
        losses: judged()
            .map(|point| point.loss.filter(|_| point.judgement != Some(Judgement::Forced)))
            .collect(),
    })
}
