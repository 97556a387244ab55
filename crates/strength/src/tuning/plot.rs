//! The path of a tuning run as an SVG image.

use plotters::prelude::{
    ChartBuilder, Color as _, IntoDrawingArea as _, LineSeries, RGBColor, SVGBackend, WHITE,
};

use super::Spsa;

const WIDTH: u32 = 900;
const HEIGHT_OF_ONE: u32 = 180;
const VALUE: RGBColor = RGBColor(40, 90, 170);
const START: RGBColor = RGBColor(120, 120, 120);

/// Draws the value of each option over the iterations, within its range; a grey line marks the start.
///
/// # Errors
/// The message of the drawing library.
pub fn draw(spsa: &Spsa) -> Result<String, String> {
    let mut image = String::new();
    let count = spsa.options().len();
    {
        let root =
            SVGBackend::with_string(&mut image, (WIDTH, HEIGHT_OF_ONE * count as u32)).into_drawing_area();
        root.fill(&WHITE).map_err(|error| error.to_string())?;
        for (number, (area, option)) in root.split_evenly((count, 1)).iter().zip(spsa.options()).enumerate() {
            let last = f64::from(spsa.iterations());
            let mut context = ChartBuilder::on(area)
                .caption(format!("{}: {:.4}", option.name, spsa.values()[number]), ("sans-serif", 15))
                .margin(8)
                .x_label_area_size(24)
                .y_label_area_size(64)
                .build_cartesian_2d(0.0..last, option.min..option.max)
                .map_err(|error| error.to_string())?;
            context.configure_mesh().light_line_style(WHITE).draw().map_err(|error| error.to_string())?;
            let start = [(0.0, option.start), (last, option.start)];
            let path =
                (0..).zip(spsa.path()).map(|(iteration, values)| (f64::from(iteration), values[number]));
            for line in
                [LineSeries::new(start, START.stroke_width(1)), LineSeries::new(path, VALUE.stroke_width(2))]
            {
                context.draw_series(line).map_err(|error| error.to_string())?;
            }
        }
        root.present().map_err(|error| error.to_string())?;
    }
    Ok(image)
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
