//! Figures for people: measured numbers with their 95 % confidence intervals ([`Measurement`]), percentages ([`Percent`]), durations
//! ([`DurationText`]), tables in a terminal ([`text_table`]), and charts as SVG images ([`Figure`]).
//!
//! # Examples
//! ```
//! use figures::{DurationText, Measurement, Percent, text_table};
//!
//! let solved = Measurement::share(8, 10).ok_or("nothing was tried")?;
//! assert_eq!(solved.percent(), "80.0 % (49.0 to 94.3)");
//! let row = ["1500-1599".to_string(), Percent(0.453).to_string(), DurationText(3900.0).to_string()];
//! assert_eq!(
//!     text_table(&["rating", "matched", "time"], [row.to_vec()]),
//!     "  rating     matched        time\n  1500-1599   45.3 %  1 h 05 min"
//! );
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//! Callers describe a [`Figure`], and all charts have the same appearance:
//! ```
//! use figures::{Axis, Chart, Colour, Figure, Series};
//!
//! let loss = Series::new(Colour::Blue, [(1.0, 0.9), (2.0, 0.6), (3.0, 0.5)]).named("held out");
//! let chart = Chart { title: "loss".into(), x: Axis::named("step"), series: vec![loss], ..Chart::default() };
//! let image = Figure { title: "a run".into(), height: 300, charts: vec![chart] }.svg()?;
//! assert!(image.starts_with("<svg") && image.contains("held out"));
//! # Ok::<_, figures::DrawingError>(())
//! ```

mod drawing;
mod figure;
mod measurement;
mod text;

pub use self::{
    drawing::DrawingError,
    figure::{Axis, Chart, Colour, Figure, Point, Scale, Series, span},
    measurement::{INTERVAL_95, Measurement, NORMAL_97_5},
    text::{DurationText, Percent, text_table},
};
