//! The path of a tuning run as an SVG image.

use figures::{Axis, Chart, Colour, DrawingError, Figure, Series};

use super::Spsa;

/// Draws the value of each option over the iterations, within its range; a grey line marks the start.
///
/// # Errors
/// [`DrawingError`].
pub fn draw(spsa: &Spsa) -> Result<String, DrawingError> {
    let within = |range| Axis { range: Some(range), ..Axis::default() };
    let charts = spsa.options().iter().enumerate().map(|(number, option)| {
        let path = (0..).zip(spsa.path()).map(|(iteration, values)| (f64::from(iteration), values[number]));
        Chart {
            title: format!("{}: {:.4}", option.name, spsa.values()[number]),
            x: within(0.0..f64::from(spsa.iterations())),
            y: within(option.min..option.max),
            series: vec![Series::new(Colour::Blue, path)],
            baseline: Some(option.start),
        }
    });
    Figure { title: String::new(), height: 180, charts: charts.collect() }.svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::TunedOption;

    #[test]
    fn every_option_has_its_chart() {
        let option =
            |name: &str| TunedOption { name: name.into(), start: 1.0, min: 0.0, max: 2.0, step: 0.1 };
        let mut spsa = Spsa::new(vec![option("CPuct"), option("FpuReduction")], 4, 0.5, 1).unwrap();
        spsa.update(2.0);
        let image = draw(&spsa).unwrap();
        assert!(image.starts_with("<svg") && image.matches("<polyline").count() >= 4, "{image}");
        assert!(image.contains("CPuct") && image.contains("FpuReduction"), "{image}");
    }
}
