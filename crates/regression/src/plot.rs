//! The error by number of neighbours as an SVG image.

use plotters::{
    coord::combinators::IntoLogRange as _,
    prelude::{
        ChartBuilder, Circle, Color as _, IntoDrawingArea as _, LineSeries, RGBColor, SVGBackend, WHITE,
    },
    style::ShapeStyle,
};

use crate::{RegressionError, training::RegressionReport};

const SIZE: (u32, u32) = (720, 420);
const COLOURS: [RGBColor; 3] = [RGBColor(40, 90, 170), RGBColor(200, 60, 40), RGBColor(60, 140, 70)];

/// The curves of every learner with a sweep, over a logarithmic axis; `None` if there are no sweeps.
///
/// # Errors
/// [`RegressionError::Drawing`].
pub fn draw_sweep(report: &RegressionReport) -> Result<Option<String>, RegressionError> {
    let swept: Vec<(&str, Vec<(f64, f64)>)> = (report.learners.iter())
        .filter(|learner| !learner.sweep.is_empty())
        .map(|learner| {
            let mut points: Vec<(f64, f64)> =
                learner.sweep.iter().map(|point| (point.neighbours as f64, point.error)).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            (learner.name.as_str(), points)
        })
        .collect();
    if swept.is_empty() {
        return Ok(None);
    }
    let mut image = String::new();
    draw(&mut image, &report.title, &swept).map_err(RegressionError::Drawing)?;
    Ok(Some(image))
}

fn draw(image: &mut String, title: &str, swept: &[(&str, Vec<(f64, f64)>)]) -> Result<(), String> {
    let points = swept.iter().flat_map(|(_, points)| points);
    let most = points.clone().map(|point| point.0).fold(1.0, f64::max);
    let (least_error, most_error) = points
        .map(|point| point.1)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), error| (least.min(error), most.max(error)));
    let margin = 0.05 * (most_error - least_error) + 0.01;
    let root = SVGBackend::with_string(image, SIZE).into_drawing_area();
    root.fill(&WHITE).map_err(|error| error.to_string())?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 18))
        .margin(10)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d((0.9..most * 1.1).log_scale(), least_error - margin..most_error + margin)
        .map_err(|error| error.to_string())?;
    chart
        .configure_mesh()
        .x_desc("neighbours")
        .y_desc("mean absolute error, pawns")
        .x_label_formatter(&|neighbours| format!("{neighbours:.0}"))
        .light_line_style(WHITE)
        .draw()
        .map_err(|error| error.to_string())?;
    for ((name, points), colour) in swept.iter().zip(COLOURS.iter().cycle()) {
        let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
        let legend: ShapeStyle = colour.filled();
        chart
            .draw_series(line)
            .map_err(|error| error.to_string())?
            .label(*name)
            .legend(move |place| Circle::new(place, 4, legend));
        let marks = points.iter().map(|point| Circle::new(*point, 4, colour.filled()));
        chart.draw_series(marks).map_err(|error| error.to_string())?;
    }
    chart.configure_series_labels().background_style(WHITE).draw().map_err(|error| error.to_string())?;
    root.present().map_err(|error| error.to_string())
}
