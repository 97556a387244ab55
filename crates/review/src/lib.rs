//! Reviews of games: every position searched with the same budget, and what each move cost its side.
//!
//! [`GameReview`] runs any [`chess::Search`] on each position, on several threads, and fills a [`ReviewPoint`] for each;
//! [`ReviewScale`] converts the losses into accuracies and marks, which [`SideSummary`] counts. Losses are
//! points of win percentage of the side that moved, 0 to 100. [`PlayedLevel`] is the rating of the people whose moves a side's
//! moves are most like. The results are stored as JSON, so a new field
//! needs a default for older files. [`calibration`] reviews rated games and finds the scale that suits a
//! rating.
//!
//! # Examples
//! ```
//! use review::{Judgement, ReviewScale};
//!
//! let scale = ReviewScale::CALIBRATED;
//! assert_eq!(scale.judge(15.0), Judgement::Mistake);
//! assert_eq!(scale.move_accuracy(15.0).round(), 59.0);
//! ```

pub mod calibration;
mod game_review;
mod played_level;
mod point;
mod scale;

pub use game_review::GameReview;
pub use played_level::{PlayedLevel, priors};
pub use point::{Judgement, ReviewPoint, SideSummary};
pub use scale::ReviewScale;
