//! The description of an image.

use std::ops::Range;

/// Charts one below the other.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Figure {
    /// The title of the image; empty for none.
    pub title: String,
    /// Height of one chart, in pixels.
    pub height: u32,
    /// Charts without points are left out.
    pub charts: Vec<Chart>,
}

/// Series over the same axes.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Chart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    /// Later series are drawn over earlier ones.
    pub series: Vec<Series>,
    /// The height of a grey horizontal line, such as the line of no gain.
    pub baseline: Option<f64>,
}

/// One axis of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The quantity and its unit; empty if the title of the chart gives them.
    pub label: String,
    /// Its ends; if absent, everything drawn fits.
    pub range: Option<Range<f64>>,
    /// The scale of a horizontal axis; vertical axes are linear.
    pub scale: Scale,
}

impl Axis {
    /// A linear axis on which everything fits.
    pub fn named(label: &str) -> Self {
        Self { label: label.into(), ..Self::default() }
    }
}

/// The mapping of numbers to positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    #[default]
    Linear,
    /// Logarithmic, for integers from 1 on: equal factors have equal lengths.
    Counts,
}

/// Points joined by a line.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Series {
    /// Name in the legend, which only named series have.
    pub name: String,
    pub colour: Colour,
    /// Width of the line, in pixels.
    pub width: u32,
    /// True if every point also has a dot.
    pub dots: bool,
    pub points: Vec<Point>,
}

impl Series {
    /// A line of two pixels, without name and dots.
    pub fn new(colour: Colour, points: impl IntoIterator<Item: Into<Point>>) -> Self {
        let points = points.into_iter().map(Into::into).collect();
        Self { name: String::new(), colour, width: 2, dots: false, points }
    }

    /// This series with a name in the legend.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// This series with a dot at every point.
    #[must_use]
    pub fn dotted(self) -> Self {
        Self { dots: true, ..self }
    }
}

/// Colour of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum Colour {
    Blue,
    Red,
    Grey,
    Pale,
    /// The colour with the first index, out of as many as the second number says, with hues equally far apart.
    OneOf(usize, usize),
}

/// A measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// Ends of the interval of `y`, drawn as a bar.
    pub interval: Option<[f64; 2]>,
}

impl From<(f64, f64)> for Point {
    fn from((x, y): (f64, f64)) -> Self {
        Self { x, y, interval: None }
    }
}

/// The range from the smallest to the largest of some numbers, extended on both sides by a twentieth of its width but
/// at least `margin`; never empty.
pub fn span(numbers: impl IntoIterator<Item = f64>, margin: f64) -> Range<f64> {
    let (least, most) =
        numbers.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), number| {
            (least.min(number), most.max(number))
        });
    if least > most {
        return 0.0..1.0;
    }
    let margin = ((most - least) * 0.05).max(margin);
    least - margin..most + margin
}
