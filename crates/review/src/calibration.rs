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
mod kept;
mod marks;
mod rated_games;

use std::path::PathBuf;

pub use bands::{Band, ReviewedGame, bands, fit, halves, table};
pub use kept::KeptReviews;
pub use marks::{JudgedMove, LimitQuality, MarkQuality};
pub use rated_games::{RatedGame, RatedGames, review};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum ReviewError {
    #[error(transparent)]
    Source(#[from] dataset::DatasetError),
    #[error(
        "{}: found no game with moves and two ratings{}", place.display(),
        if *of_speeds { " at one of the requested speeds" } else { "" }
    )]
    NoGames {
        place: PathBuf,
        /// True if only some speeds were requested.
        of_speeds: bool,
    },
    #[error(transparent)]
    Search(#[from] chess::SearchError),
    #[error("interrupted; a measurement counts only as a whole")]
    Interrupted,
    /// The file of reviews cannot be read or written.
    #[error(transparent)]
    File(#[from] files::OutputError),
    #[error("{place}: {problem}")]
    Kept {
        /// The file, with the line if one is broken.
        place: String,
        problem: String,
        source: Option<serde_json::Error>,
    },
    #[error("--fit: found {found} sides of games rated {from} to {to}, expected at least {least}")]
    TooFew {
        found: usize,
        /// The lowest rating included.
        from: u16,
        to: u16,
        least: usize,
    },
}
