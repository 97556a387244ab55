//! Measured numbers with their 95 % confidence intervals: proportions, means and correlations of independent or grouped
//! observations.
//!
//! # Examples
//! ```
//! use measurement::Measurement;
//!
//! let solved = Measurement::share(8, 10).ok_or("nothing was tried")?;
//! assert_eq!(solved.percent(), "80.0 % (49.0 to 94.3)");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod measurement;

pub use self::measurement::{INTERVAL_95, Measurement, NORMAL_97_5};
