//! The appearance of all charts.

use std::{io, ops::Range};

use plotters::{
    coord::{
        Shift,
        combinators::IntoLogRange as _,
        ranged1d::{AsRangedCoord, ValueFormatter},
    },
    prelude::{
        ChartBuilder, Circle, Color as _, DrawingArea, DrawingAreaErrorKind, HSLColor, IntoDrawingArea as _,
        LineSeries, PathElement, RGBAColor, RGBColor, SVGBackend, WHITE,
    },
};

use crate::{Chart, Colour, Figure, Point, Scale, Series, span};

/// Width of an image in pixels. Chosen, not tuned: it fits a browser window without scrolling.
const WIDTH: u32 = 900;
/// Size of the title's letters in pixels. Chosen, not tuned: larger than all other text.
const TITLE_SIZE: u32 = 20;
/// Height of the title's line in pixels. Chosen, not tuned: the letters and as much space again.
const TITLE_HEIGHT: u32 = 2 * TITLE_SIZE;

/// The message of the drawing library.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct DrawingError(#[from] DrawingAreaErrorKind<io::Error>);

impl Figure {
    /// Draws the figure.
    ///
    /// # Errors
    /// [`DrawingError`].
    pub fn svg(&self) -> Result<String, DrawingError> {
        let charts: Vec<&Chart> =
            self.charts.iter().filter(|chart| chart.points().next().is_some()).collect();
        let rows = charts.len().max(1);
        let title_height = if self.title.is_empty() { 0 } else { TITLE_HEIGHT };
        let mut image = String::new();
        let size = (WIDTH, title_height + self.height * rows as u32);
        let mut root = SVGBackend::with_string(&mut image, size).into_drawing_area();
        root.fill(&WHITE)?;
        if !self.title.is_empty() {
            root = root.titled(&self.title, ("sans-serif", TITLE_SIZE))?;
        }
        for (area, chart) in root.split_evenly((rows, 1)).iter().zip(charts) {
            match chart.x.scale {
                Scale::Linear => chart.draw(area, chart.x_range())?,
                Scale::Counts => chart.draw(area, chart.x_range().log_scale())?,
            }
        }
        root.present()?;
        drop(root);
        Ok(image)
    }
}

impl Chart {
    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }

    fn x_range(&self) -> Range<f64> {
        let numbers = self.points().map(|point| point.x);
        self.x.range.clone().unwrap_or_else(|| match self.x.scale {
            // Half a step, so that a single step also has a range.
            Scale::Linear => span(numbers, 0.5),
            // Starts at 1, since only powers of ten are labelled.
            Scale::Counts => 0.9..numbers.fold(1.0, f64::max) * 1.1,
        })
    }

    fn y_range(&self) -> Range<f64> {
        let ends = self.points().flat_map(|point| point.interval.unwrap_or([point.y; 2]));
        self.y.range.clone().unwrap_or_else(|| span(ends.chain(self.baseline), 1e-3))
    }

    fn draw(
        &self,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
        x: impl AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
    ) -> Result<(), DrawingError> {
        let Range { start, end } = self.x_range();
        let mut context = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 15))
            .margin(8)
            .x_label_area_size(if self.x.label.is_empty() { 24 } else { 36 })
            .y_label_area_size(64)
            .build_cartesian_2d(x, self.y_range())?;
        let mut mesh = context.configure_mesh();
        mesh.light_line_style(WHITE).x_desc(&self.x.label).y_desc(&self.y.label);
        if self.x.scale == Scale::Counts {
            mesh.x_label_formatter(&|count| format!("{count:.0}"));
        }
        mesh.draw()?;
        let baseline =
            self.baseline.map(|y| Series::new(Colour::Grey, [(start, y), (end, y)]).named("baseline"));
        for series in baseline.iter().chain(&self.series) {
            let colour = RGBAColor::from(series.colour);
            let style = colour.stroke_width(series.width);
            let line = LineSeries::new(series.points.iter().map(|point| (point.x, point.y)), style);
            let drawn = context.draw_series(line)?;
            if !series.name.is_empty() && !series.points.is_empty() {
                drawn
                    .label(&series.name)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
            }
            context.draw_series(series.points.iter().filter_map(|point| {
                let [low, high] = point.interval?;
                Some(PathElement::new([(point.x, low), (point.x, high)], colour))
            }))?;
            if series.dots {
                let dots = series.points.iter();
                context.draw_series(dots.map(|point| Circle::new((point.x, point.y), 3, colour.filled())))?;
            }
        }
        if self.series.iter().any(|series| !series.name.is_empty()) {
            let mut legend = context.configure_series_labels();
            legend.background_style(WHITE.mix(0.8)).border_style(RGBAColor::from(Colour::Grey)).draw()?;
        }
        Ok(())
    }
}

impl From<Colour> for RGBAColor {
    fn from(colour: Colour) -> Self {
        match colour {
            Colour::Blue => RGBColor(40, 90, 170).into(),
            Colour::Red => RGBColor(200, 60, 40).into(),
            Colour::Grey => RGBColor(120, 120, 120).into(),
            Colour::Pale => RGBColor(200, 210, 225).into(),
            Colour::OneOf(number, count) => HSLColor(number as f64 / count as f64, 0.75, 0.4).to_rgba(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    fn image(title: &str, charts: Vec<Chart>) -> String {
        let image = Figure { title: title.into(), height: 200, charts }.svg().unwrap();
        assert!(image.starts_with("<svg") && !image.contains("NaN"), "{image}");
        image
    }

    fn chart(title: &str, series: Series) -> Chart {
        Chart { title: title.into(), series: vec![series], baseline: Some(0.0), ..Chart::default() }
    }

    #[test]
    fn every_point_has_its_dot_and_its_interval_and_charts_without_points_are_left_out() {
        let point = |x, interval| Point { x, y: 20.0, interval };
        let points = [point(1.0, Some([-5.0, 25.0])), point(2.0, Some([5.0, 55.0])), point(3.0, None)];
        let one = Series::new(Colour::Blue, [(1.0, 0.0)]);
        let nothing = chart("nothing", Series::new(Colour::Red, [(0.0, 0.0); 0]));
        let elo = chart("Elo", Series::new(Colour::Blue, points).dotted());
        let charts = vec![elo, nothing, chart("one", one.clone().dotted()), chart("line", one)];
        let image = image("a run", charts);
        assert!(image.contains("a run") && image.contains("Elo") && !image.contains("nothing"), "{image}");
        assert!(image.contains("height=\"640\""), "three charts and the title: {image}");
        assert_eq!(image.matches("<circle").count(), 4);
        let bars = image.matches("stroke=\"#285AAA\" stroke-width=\"1\"").count();
        assert_eq!(bars, 2, "one for each interval: {image}");
        assert_eq!(image.matches("<polyline fill=\"none\" opacity=\"1\" stroke=\"#787878\"").count(), 3);
        assert!(!image.contains("baseline"), "without names there is no legend: {image}");
        assert_eq!([span([3.0, 1.0], 0.0), span([2.0], 0.5), span([], 0.5)], [0.9..3.1, 1.5..2.5, 0.0..1.0]);
    }

    #[test]
    fn names_are_written_and_equal_factors_of_counts_are_equally_long() {
        let points = [(1.0, 2.0), (10.0, 1.0), (100.0, 1.0)];
        let series = Series::new(Colour::OneOf(0, 2), points).named("held out").dotted();
        let x = Axis { scale: Scale::Counts, ..Axis::named("neighbours") };
        let image = image("", vec![Chart { x, y: Axis::named("pawns"), ..chart("loss", series) }]);
        assert!(image.contains("height=\"200\""), "no title: {image}");
        for text in ["loss", "neighbours", "pawns", "held out", "baseline", "\n1\n", "\n10\n", "\n100\n"] {
            assert!(image.contains(text), "{text}: {image}");
        }
        let places = image.split("cx=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        let places: Vec<i32> = places.map(|place| place.parse().unwrap()).collect();
        assert!((places[0] + places[2] - 2 * places[1]).abs() <= 1, "{places:?}");
    }
}
