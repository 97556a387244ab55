//! Charts as SVG that are readable on a light and on a dark page.

use plotters::{
    prelude::{ChartBuilder, Circle, Color as _, LineSeries, PathElement, Rectangle},
    style::{ShapeStyle, text_anchor::HPos},
};

use super::canvas::{COLOURS, Canvas, INK, WIDTH, image, text, write};

/// Height of a chart, and of the title with the names of the series above it.
const HEIGHT: u32 = 400;
const HEAD: i32 = 52;

/// Width of a letter of the smallest text, about, and of the part of the chart that shows data.
const LETTER: usize = 7;
const DATA_WIDTH: usize = WIDTH as usize - 100;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line through the points.
    Line,
    /// Points.
    Dots,
    /// Bars from 0.
    Bars,
}

/// What the numbers along the bottom mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Themselves.
    #[default]
    Linear,
    /// Logarithms to base 2: two to their power is written.
    PowersOfTwo,
}

/// A point with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Place.
    pub x: f64,
    /// Value.
    pub y: f64,
    /// Ends of the value's interval, where it has one.
    pub interval: Option<[f64; 2]>,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// The points, in the order of their places.
    pub points: Vec<Point>,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// What stands along the bottom, with its unit.
    pub x: String,
    /// What stands along the side, with its unit.
    pub y: String,
    /// Names of the places 0, 1, 2...; numbers where empty.
    pub categories: Vec<String>,
    /// What the places of the points mean, where they have no names.
    pub scale: Scale,
    /// The data.
    pub series: Vec<Series>,
}

/// A chart could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw {title:?}: {reason}")]
pub struct FigureError {
    /// The chart.
    pub title: String,
    /// What happened.
    pub reason: String,
}

impl Figure {
    /// The chart as an SVG image.
    ///
    /// # Errors
    /// [`FigureError`] without any finite point, or when drawing fails.
    pub fn svg(&self) -> Result<String, FigureError> {
        image(&self.title, HEIGHT, |canvas| self.draw(canvas))
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Result<(), String> {
        let (xs, ys) = self.ranges().ok_or("there is no finite point")?;
        self.draw_head(canvas)?;
        let (_, body) = canvas.split_vertically(HEAD);
        let mut chart = ChartBuilder::on(&body)
            .margin(10)
            .margin_top(0)
            .x_label_area_size(46)
            .y_label_area_size(58)
            .build_cartesian_2d(xs.0..xs.1, ys.0..ys.1)
            .map_err(|error| error.to_string())?;
        let ticks = if self.categories.is_empty() { 10 } else { 2 * self.categories.len() + 1 };
        let mut mesh = chart.configure_mesh();
        if !self.categories.is_empty() {
            mesh.disable_x_mesh();
        }
        mesh.x_desc(&self.x)
            .y_desc(&self.y)
            .axis_style(INK)
            .bold_line_style(INK.mix(0.25))
            .light_line_style(INK.mix(0.0))
            .label_style(text(12))
            .axis_desc_style(text(13))
            .x_labels(ticks)
            .x_label_formatter(&|x| self.name_of(*x))
            .y_label_formatter(&|y| number(*y))
            .draw()
            .map_err(|error| error.to_string())?;
        for (index, (series, colour)) in self.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let style = ShapeStyle::from(colour).stroke_width(2);
            let (shift, width) = self.bar_place(index);
            let points = || series.points.iter().map(move |point| (point.x + shift, point.y));
            let drawn = match series.mark {
                Mark::Line => chart.draw_series(LineSeries::new(points(), style)),
                Mark::Dots => chart.draw_series(points().map(|point| Circle::new(point, 4, style.filled()))),
                Mark::Bars => chart.draw_series(points().map(|(x, y)| {
                    Rectangle::new([(x - 0.46 * width, 0.0), (x + 0.46 * width, y)], colour.mix(0.6).filled())
                })),
            };
            drawn.map_err(|error| error.to_string())?;
            let whiskers = series.points.iter().filter_map(|point| Some((point.x + shift, point.interval?)));
            chart
                .draw_series(
                    whiskers.map(|(x, [low, high])| PathElement::new(vec![(x, low), (x, high)], style)),
                )
                .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// The title and, of several series, their names, where no data can be hidden by them.
    fn draw_head(&self, canvas: &Canvas<'_>) -> Result<(), String> {
        write(canvas, &self.title, (WIDTH as i32 / 2, 16), (17, HPos::Center))?;
        if self.series.len() < 2 {
            return Ok(());
        }
        let width = |name: &str| 34 + (name.chars().count() * LETTER) as i32;
        let all: i32 = self.series.iter().map(|series| width(&series.name)).sum();
        let mut left = (WIDTH as i32 - all) / 2;
        for (series, colour) in self.series.iter().zip(COLOURS.iter().cycle()) {
            let line = PathElement::new(vec![(left, 39), (left + 16, 39)], colour.stroke_width(3));
            canvas.draw(&line).map_err(|error| error.to_string())?;
            write(canvas, &series.name, (left + 21, 39), (12, HPos::Left))?;
            left += width(&series.name);
        }
        Ok(())
    }

    /// What stands at a place of the bottom axis.
    fn name_of(&self, x: f64) -> String {
        let whole = (x - x.round()).abs() < 1e-6 && x >= 0.0;
        match self.categories.get(x.round() as usize) {
            Some(name) if whole => self.fitting(x.round() as usize, name),
            _ if self.categories.is_empty() && self.scale == Scale::Linear => number(x),
            _ if self.categories.is_empty() => number(x.exp2().round()),
            _ => String::new(),
        }
    }

    /// The name of a place as far as there is room for it: of many places only every second or third has its name.
    fn fitting(&self, place: usize, name: &str) -> String {
        let count = self.categories.len();
        if count <= 6 {
            return end_of(name, DATA_WIDTH / LETTER / count - 2);
        }
        let longest = self.categories.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(18);
        let stride = (count * (longest + 1) * LETTER).div_ceil(DATA_WIDTH).max(1);
        if place.is_multiple_of(stride) { end_of(name, longest) } else { String::new() }
    }

    /// How far the bars of a series stand from their place, beside those of other series, and how wide they are.
    fn bar_place(&self, index: usize) -> (f64, f64) {
        let is_bars = |series: &&Series| series.mark == Mark::Bars;
        if !is_bars(&&self.series[index]) {
            return (0.0, 0.0);
        }
        let before = self.series[..index].iter().filter(is_bars).count() as f64;
        let all = self.series.iter().filter(is_bars).count() as f64;
        (0.8 * ((before + 0.5) / all - 0.5), 0.8 / all)
    }

    /// The ranges of both axes with a margin; bars begin at 0.
    fn ranges(&self) -> Option<((f64, f64), (f64, f64))> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let finite = |values: Vec<f64>| -> Option<(f64, f64)> {
            let values = values.into_iter().filter(|value| value.is_finite());
            let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
            (low <= high).then_some((low, high))
        };
        let (mut left, mut right) = finite(points().map(|point| point.x).collect())?;
        let (mut low, mut high) = finite(
            points()
                .flat_map(|point| {
                    [Some(point.y), point.interval.map(|ends| ends[0]), point.interval.map(|ends| ends[1])]
                })
                .flatten()
                .collect(),
        )?;
        let has_bars = self.series.iter().any(|series| series.mark == Mark::Bars);
        if has_bars || !self.categories.is_empty() {
            (left, right) = (left - 0.6, right + 0.6);
        } else {
            let margin = ((right - left) * 0.04).max(1e-6);
            (left, right) = (left - margin, right + margin);
        }
        if has_bars {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        let margin = ((high - low) * 0.06).max(1e-6);
        low -= if has_bars && low == 0.0 { 0.0 } else { margin };
        Some(((left, right), (low, high + margin)))
    }
}

/// A number without the digits that only computing with it has left.
fn number(value: f64) -> String {
    format!("{}", (value * 1e6).round() / 1e6)
}

/// At most so many letters of a name; its end tells more than its beginning.
fn end_of(name: &str, room: usize) -> String {
    let count = name.chars().count();
    if count <= room {
        return name.into();
    }
    let end: String = name.chars().skip(count + 1 - room.max(2)).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(mark: Mark, categories: &[&str], points: Vec<Point>) -> Figure {
        let series = vec![Series { name: "one".into(), mark, points }];
        let categories = categories.iter().map(ToString::to_string).collect();
        Figure {
            title: "a <b>".into(),
            x: "opponent, Elo".into(),
            y: "score, %".into(),
            categories,
            scale: Scale::Linear,
            series,
        }
    }

    #[test]
    fn charts_have_titles_axes_and_whiskers() {
        let point = |x: f64, y: f64| Point { x, y, interval: Some([y - 1.0, y + 1.0]) };
        for (mark, categories) in
            [(Mark::Line, &[][..]), (Mark::Dots, &[]), (Mark::Bars, &["first", "second"])]
        {
            let svg = figure(mark, categories, vec![point(0.0, 3.0), point(1.0, 5.0)]).svg().unwrap();
            for expected in ["<svg", "viewBox", "a &lt;b&gt;", "opponent, Elo", "score, %"] {
                assert!(svg.contains(expected), "{expected} is missing in {svg}");
            }
            assert!(categories.iter().all(|name| svg.contains(name)), "{svg}");
            assert!(!svg.contains("<b>"));
        }
    }

    #[test]
    fn nothing_to_draw_is_an_error() {
        assert!(figure(Mark::Line, &[], vec![]).svg().unwrap_err().to_string().contains("no finite point"));
        let lost = Point { x: f64::NAN, y: 1.0, interval: None };
        assert!(figure(Mark::Line, &[], vec![lost]).svg().is_err());
        let single = Point { x: 1.0, y: 1.0, interval: None };
        assert!(figure(Mark::Dots, &[], vec![single]).svg().is_ok());
    }
}
