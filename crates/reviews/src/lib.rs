//! Reviews of rated games, as the page makes them: how accurate the games of each rating are and how many of their moves are
//! marked, and the scale at which club players are marked as often as they should be.
//!
//! [`RatedGames`] reads games, [`review()`] looks at one, [`KeptReviews`] keeps what was found, [`bands()`] sorts it by rating, and
//! [`fit`] finds a scale.

mod bands;
mod error;
mod kept;
mod rated_games;
mod game;

pub use bands::{Band, ReviewedGame, bands, fit, halves, table};
pub use error::ReviewError;
pub use kept::KeptReviews;
pub use rated_games::{RatedGame, RatedGames};
pub use game::review;
