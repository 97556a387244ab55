//! Measurements over the steps of a run as an SVG image, each with its 95 % interval.

use plotters::{
    coord::Shift,
    prelude::{
        ChartBuilder, Circle, Color as _, DrawingArea, IntoDrawingArea as _, LineSeries, PathElement,
        RGBColor, SVGBackend, WHITE,
    },
};

const WIDTH: u32 = 900;
const HEIGHT_OF_ONE: u32 = 260;
const VALUE: RGBColor = RGBColor(40, 90, 170);
const REFERENCE: RGBColor = RGBColor(120, 120, 120);

/// A measurement at one step of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct MeasuredPoint {
    /// The step, iteration or generation.
    pub step: u32,
    pub value: f64,
    /// Ends of its 95 % interval, where it has one.
    pub interval: Option<[f64; 2]>,
}

/// One chart of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCurve {
    /// Title of the curve, with the unit.
    pub title: String,
    /// The points, by step.
    pub points: Vec<MeasuredPoint>,
    /// A grey line, such as that of no gain.
    pub reference: Option<f64>,
}

/// Draws the curves that have points, one below the other.
///
/// # Errors
/// The message of the drawing library.
pub fn draw_measured_curves(title: &str, curves: &[MeasuredCurve]) -> Result<String, String> {
    let drawn: Vec<&MeasuredCurve> = curves.iter().filter(|curve| !curve.points.is_empty()).collect();
    let mut image = String::new();
    {
        let size = (WIDTH, 40 + HEIGHT_OF_ONE * drawn.len() as u32);
        let root = SVGBackend::with_string(&mut image, size).into_drawing_area();
        root.fill(&WHITE).map_err(|error| error.to_string())?;
        let root = root.titled(title, ("sans-serif", 20)).map_err(|error| error.to_string())?;
        for (area, curve) in root.split_evenly((drawn.len().max(1), 1)).iter().zip(drawn) {
            draw(area, curve)?;
        }
        root.present().map_err(|error| error.to_string())?;
    }
    Ok(image)
}

fn draw(area: &DrawingArea<SVGBackend<'_>, Shift>, curve: &MeasuredCurve) -> Result<(), String> {
    let steps = curve.points.iter().map(|point| f64::from(point.step));
    let steps = steps.clone().fold(f64::INFINITY, f64::min)..steps.fold(f64::NEG_INFINITY, f64::max).max(1.0);
    let ends = curve.points.iter().flat_map(|point| point.interval.unwrap_or([point.value; 2]));
    let ends: Vec<f64> = ends.chain(curve.reference).collect();
    let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Equal values have a range as well.
    let margin = ((high - low) * 0.05).max(1e-6);
    let mut context = ChartBuilder::on(area)
        .caption(&curve.title, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(24)
        .y_label_area_size(64)
        .build_cartesian_2d(steps.start - 0.5..steps.end + 0.5, low - margin..high + margin)
        .map_err(|error| error.to_string())?;
    context.configure_mesh().light_line_style(WHITE).draw().map_err(|error| error.to_string())?;
    let reference = curve.reference.map(|value| vec![(steps.start - 0.5, value), (steps.end + 0.5, value)]);
    let values = curve.points.iter().map(|point| (f64::from(point.step), point.value));
    for (points, style) in [
        (reference.unwrap_or_default(), REFERENCE.stroke_width(1)),
        (values.clone().collect(), VALUE.stroke_width(2)),
    ] {
        context.draw_series(LineSeries::new(points, style)).map_err(|error| error.to_string())?;
    }
    let bars = curve.points.iter().filter_map(|point| {
        let [low, high] = point.interval?;
        let step = f64::from(point.step);
        Some(PathElement::new(vec![(step, low), (step, high)], VALUE.stroke_width(1)))
    });
    context.draw_series(bars).map_err(|error| error.to_string())?;
    let dots = values.map(|place| Circle::new(place, 3, VALUE.filled()));
    context.draw_series(dots).map_err(|error| error.to_string())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_its_dot_and_its_interval() {
        let point = |step, value, interval| MeasuredPoint { step, value, interval };
        let curve = |title: &str, points| MeasuredCurve { title: title.into(), points, reference: Some(0.0) };
        let curves = [
            curve(
                "Elo",
                vec![
                    point(1, 10.0, Some([-5.0, 25.0])),
                    point(2, 30.0, Some([5.0, 55.0])),
                    point(3, 30.0, None),
                ],
            ),
            curve("nothing", Vec::new()),
            curve("one", vec![point(1, 0.0, None)]),
        ];
        let image = draw_measured_curves("a run", &curves).unwrap();
        assert!(image.starts_with("<svg") && image.contains("Elo") && !image.contains("nothing"), "{image}");
        assert_eq!(image.matches("<circle").count(), 4);
        assert!(!image.contains("NaN"));
        let bars = |color: &str| image.matches(&format!("stroke=\"{color}\" stroke-width=\"1\"")).count();
        assert_eq!(bars("#285AAA"), 2, "one for each interval: {image}");
        assert!(draw_measured_curves("empty", &[]).unwrap().starts_with("<svg"));
    }
}
