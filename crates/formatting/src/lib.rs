//! Numbers formatted for people: percentages ([`Percent`]), durations ([`DurationText`]), tables in a terminal
//! ([`text_table`]).
//!
//! # Examples
//! ```
//! use formatting::{DurationText, Percent, text_table};
//!
//! let row = ["1500-1599".to_string(), Percent(0.453).to_string(), DurationText(3900.0).to_string()];
//! assert_eq!(
//!     text_table(&["rating", "matched", "time"], [row.to_vec()]),
//!     "  rating     matched        time\n  1500-1599   45.3 %  1 h 05 min"
//! );
//! ```

mod duration_text;
mod percent;
mod text_table;

pub use self::{duration_text::DurationText, percent::Percent, text_table::text_table};
