//! The error by number of neighbours as an SVG image.

use figures::{Axis, Chart, Colour, Figure, Scale, Series};

use crate::{RegressionError, training::RegressionReport};

/// The curves of all learners with a sweep, over a logarithmic axis; `None` if there are no sweeps.
///
/// # Errors
/// [`RegressionError::Drawing`].
pub fn draw_sweep(report: &RegressionReport) -> Result<Option<String>, RegressionError> {
    let swept: Vec<_> = report.learners.iter().filter(|learner| learner.sweep.len() > 1).collect();
    if swept.is_empty() {
        return Ok(None);
    }
    let series = swept.iter().enumerate().map(|(number, learner)| {
        let mut points: Vec<(f64, f64)> =
            learner.sweep.iter().map(|point| (point.neighbours as f64, point.error)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series::new(Colour::OneOf(number, swept.len()), points).named(&learner.name).dotted()
    });
    let chart = Chart {
        title: report.title.clone(),
        x: Axis { scale: Scale::Counts, ..Axis::named("neighbours") },
        y: Axis::named("mean absolute error, pawns"),
        series: series.collect(),
        baseline: None,
    };
    Ok(Some(Figure { title: String::new(), height: 420, charts: vec![chart] }.svg()?))
}
