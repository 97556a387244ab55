//! Reviews of rated games, as on the page: accuracy and rate of marked moves by rating, and the fit of the
//! scale to the target rates of club players.
//!
//! [`RatedGames`] reads games, [`review()`] reviews one, [`KeptReviews`] keeps the results, [`bands()`] groups them by rating,
//! [`fit`] finds a scale, and [`MarkQuality`] compares marks with the losses that another engine finds.
//!
//! # Examples
//! ```
//! use chess::Color;
//! use review::{ReviewScale, calibration::{Band, ReviewedGame, bands}};
//!
//! // White's chances after each half-move, in percent, and what the mover lost by it.
//! let game = ReviewedGame {
//!     ratings: [1510, 1480],
//!     first: Color::White,
//!     values: vec![50.0, 46.0, 50.0, 48.0, 49.0],
//!     losses: vec![Some(4.0), Some(4.0), Some(2.0), Some(1.0)],
//! };
//! let bands = bands(&[game], &ReviewScale::CALIBRATED, Band::WIDTH);
//! assert_eq!((bands[0].from, bands[0].to, bands[0].sides), (1400, 1599, 2));
//! ```

mod bands;
mod error;
mod game;
mod kept;
mod marks;
mod rated_games;

pub use bands::{Band, ReviewedGame, bands, fit, halves, table};
pub use error::ReviewError;
pub use game::review;
pub use kept::KeptReviews;
pub use marks::{JudgedMove, LimitQuality, MarkQuality};
pub use rated_games::{RatedGame, RatedGames};
