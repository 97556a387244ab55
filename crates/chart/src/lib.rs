//! Charts as SVG images: callers describe a [`Figure`], and all charts have the same appearance.
//!
//! # Examples
//! ```
//! use chart::{Axis, Chart, Colour, Figure, Series};
//!
//! let loss = Series::new(Colour::Blue, [(1.0, 0.9), (2.0, 0.6), (3.0, 0.5)]).named("held out");
//! let chart = Chart { title: "loss".into(), x: Axis::named("step"), series: vec![loss], ..Chart::default() };
//! let image = Figure { title: "a run".into(), height: 300, charts: vec![chart] }.svg()?;
//! assert!(image.starts_with("<svg") && image.contains("held out"));
//! # Ok::<_, chart::DrawingError>(())
//! ```

mod drawing;
mod figure;

pub use self::{
    drawing::DrawingError,
    figure::{Axis, Chart, Colour, Figure, Point, Scale, Series, span},
};
