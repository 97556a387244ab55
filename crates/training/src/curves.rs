//! The loss curves of a run as an SVG image.

use std::{ops::Range, path::Path};

use network::container;
use plotters::{
    coord::Shift,
    prelude::{
        ChartBuilder, Color as _, DrawingArea, IntoDrawingArea as _, LineSeries, PathElement, RGBColor,
        SVGBackend, WHITE,
    },
};

use crate::{SmoothedLoss, TrainingError, log::LogLine, validation::Validation};

const SIZE: (u32, u32) = (900, 1050);
const RAW: RGBColor = RGBColor(200, 210, 225);
const SMOOTHED: RGBColor = RGBColor(40, 90, 170);
const HELD_OUT: RGBColor = RGBColor(200, 60, 40);
const BASELINE: RGBColor = RGBColor(120, 120, 120);

type Points = Vec<(f64, f64)>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// One chart: a metric over the steps.
struct Chart {
    title: &'static str,
    /// Points logged in training; empty for a metric that only validation measures.
    training: Points,
    held_out: Points,
    baseline: Option<f64>,
}

/// Draws policy loss, value loss and top-1 over the steps; the file is replaced in one move.
pub(crate) fn draw(path: &Path, title: &str, lines: &[LogLine]) -> Result<(), TrainingError> {
    let mut image = String::new();
    let failed = |reason: String| TrainingError::Drawing { path: path.to_path_buf(), reason };
    {
        let root = SVGBackend::with_string(&mut image, SIZE).into_drawing_area();
        root.fill(&WHITE).map_err(|error| failed(error.to_string()))?;
        let root = root.titled(title, ("sans-serif", 20)).map_err(|error| failed(error.to_string()))?;
        let charts = charts(lines);
        for (area, chart) in root.split_evenly((charts.len(), 1)).iter().zip(&charts) {
            draw_chart(area, chart).map_err(&failed)?;
        }
        root.present().map_err(|error| failed(error.to_string()))?;
    }
    Ok(container::write(path, image.as_bytes())?)
}

fn charts(lines: &[LogLine]) -> Vec<Chart> {
    let training = |metric: fn(f32, f32) -> f32| -> Points {
        lines
            .iter()
            .filter_map(|line| match line {
                LogLine::Step { step, policy_loss, value_loss, .. } => {
                    Some((*step as f64, f64::from(metric(*policy_loss, *value_loss))))
                }
                LogLine::Validation { .. } => None,
            })
            .collect()
    };
    let validations: Vec<(f64, &Validation)> = lines
        .iter()
        .filter_map(|line| match line {
            LogLine::Validation { step, validation } => Some((*step as f64, validation.as_ref())),
            LogLine::Step { .. } => None,
        })
        .collect();
    let held_out = |metric: fn(&Validation) -> Option<f64>| -> Points {
        validations.iter().filter_map(|(step, validation)| Some((*step, metric(validation)?))).collect()
    };
    let baseline = |metric: fn(&Validation) -> Option<f64>| {
        validations.last().and_then(|(_, validation)| metric(validation))
    };
    vec![
        Chart {
            title: "policy cross-entropy, nats (grey line: uniform over legal moves)",
            training: training(|policy, _| policy),
            held_out: held_out(|validation| Some(validation.overall.policy_loss)),
            baseline: baseline(|validation| Some(validation.overall.baselines.policy_loss)),
        },
        Chart {
            title: "value loss (grey line: always the mean)",
            training: training(|_, value| value),
            held_out: held_out(|validation| validation.overall.value_loss),
            baseline: baseline(|validation| validation.overall.baselines.value_loss),
        },
        Chart {
            title: "top-1 on held-out samples (grey line: uniform over legal moves)",
            training: Vec::new(),
            held_out: held_out(|validation| Some(validation.overall.top1)),
            baseline: baseline(|validation| Some(validation.overall.baselines.top1)),
        },
    ]
}

fn draw_chart(area: &Area<'_>, chart: &Chart) -> Result<(), String> {
    let smoothed = smooth(&chart.training);
    let steps = range([&chart.training, &chart.held_out].into_iter().flatten().map(|point| point.0));
    let shown = smoothed.iter().chain(&chart.held_out).map(|point| point.1);
    let values = range(shown.chain(chart.baseline));
    let mut context = ChartBuilder::on(area)
        .caption(chart.title, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(24)
        .y_label_area_size(48)
        .build_cartesian_2d(steps.clone(), values)
        .map_err(|error| error.to_string())?;
    context.configure_mesh().light_line_style(WHITE).draw().map_err(|error| error.to_string())?;
    let baseline =
        chart.baseline.map(|value| vec![(steps.start, value), (steps.end, value)]).unwrap_or_default();
    let series = [
        ("training", RAW, chart.training.clone()),
        ("smoothed", SMOOTHED, smoothed),
        ("held out", HELD_OUT, chart.held_out.clone()),
        ("baseline", BASELINE, baseline),
    ];
    for (label, colour, points) in series.into_iter().filter(|(_, _, points)| !points.is_empty()) {
        context
            .draw_series(LineSeries::new(points, colour.stroke_width(2)))
            .map_err(|error| error.to_string())?
            .label(label)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], colour.stroke_width(2)));
    }
    context
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BASELINE)
        .draw()
        .map_err(|error| error.to_string())
}

fn smooth(points: &[(f64, f64)]) -> Points {
    let mut loss = SmoothedLoss::default();
    points.iter().map(|&(step, value)| (step, loss.add(value))).collect()
}

/// The range of some numbers with a small margin; never empty.
fn range(numbers: impl Iterator<Item = f64>) -> Range<f64> {
    let (least, most) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), number| {
        (least.min(number), most.max(number))
    });
    if least > most {
        return 0.0..1.0;
    }
    let margin = ((most - least) * 0.05).max(1e-3);
    least - margin..most + margin
}
