//! Reviews of rated games, as the page makes them: how accurate the games of each rating are and how many of their moves are
//! marked, and the scale at which club players are marked as often as they should be.
//!
//! [`RatedGames`] reads games, [`review`] looks at one, [`KeptReviews`] keeps what was found, [`bands()`] sorts it by rating, and
//! [`fit`] finds a scale.
//!
//! # Examples
//! ```
//! use chess::Color;
//! use reviews::{ReviewedGame, bands};
//! use web::ReviewScale;
//!
//! // White's chances after each half-move, in percent, and what the mover lost by it.
//! let game = ReviewedGame {
//!     ratings: [1510, 1480],
//!     first: Color::White,
//!     values: vec![50.0, 46.0, 50.0, 48.0, 49.0],
//!     losses: vec![Some(4.0), Some(4.0), Some(2.0), Some(1.0)],
//! };
//! let bands = bands(&[game], &ReviewScale::CALIBRATED, 200);
//! assert_eq!((bands[0].from, bands[0].to, bands[0].sides), (1400, 1599, 2));
//! ```

mod bands;
mod error;
mod kept;
mod rated_games;

use chess::{Search, StopSignal};
use web::{GameReview, Judgement, ReviewScale};

pub use bands::{Band, ReviewedGame, bands, fit, table};
pub use error::ReviewError;
pub use kept::KeptReviews;
pub use rated_games::{RatedGame, RatedGames};

/// Reviews a game with `nodes` visits of each position.
///
/// # Errors
/// [`ReviewError::Search`] if the search fails, [`ReviewError::Interrupted`] if `stop` is signalled.
pub fn review(
    rated: RatedGame,
    nodes: u64,
    search: &mut dyn Search,
    stop: &StopSignal,
) -> Result<ReviewedGame, ReviewError> {
    // The scale changes only what is made of the losses.
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

/// Every second game, to which a scale is fitted, and the others, which it is judged by.
pub fn halves(games: Vec<ReviewedGame>) -> (Vec<ReviewedGame>, Vec<ReviewedGame>) {
    let (even, odd): (Vec<_>, Vec<_>) =
        games.into_iter().enumerate().partition(|(number, _)| number % 2 == 0);
    let only = |half: Vec<(usize, ReviewedGame)>| half.into_iter().map(|(_, game)| game).collect();
    (only(even), only(odd))
}
