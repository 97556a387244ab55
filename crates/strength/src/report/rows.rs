//! Values with their intervals one below the other, each with its name beside it: for names too long to stand side by side.

use plotters::{
    prelude::{Circle, Color as _, PathElement},
    style::{ShapeStyle, text_anchor::HPos},
};

use super::{
    canvas::{COLOURS, Canvas, INK, WIDTH, image, write},
    figure::FigureError,
};

/// Height of a row, and what stands above and below the rows.
const ROW: i32 = 22;
const ABOVE: i32 = 40;
const BELOW: i32 = 54;
/// Where values begin and end.
const LEFT: i32 = 250;
const RIGHT: i32 = WIDTH as i32 - 24;

/// A value with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The name.
    pub name: String,
    /// The value; `None` where only a bound is known.
    pub value: Option<f64>,
    /// Ends of its interval; an open one reaches to the edge.
    pub interval: [Option<f64>; 2],
}

/// A chart of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// What it shows.
    pub title: String,
    /// What the values are, with their unit.
    pub axis: String,
    /// The rows, from top to bottom.
    pub rows: Vec<Row>,
}

impl Rows {
    /// The chart as an SVG image.
    ///
    /// # Errors
    /// [`FigureError`] without any finite value, or when drawing fails.
    pub fn svg(&self) -> Result<String, FigureError> {
        let height = ABOVE + ROW * self.rows.len() as i32 + BELOW;
        image(&self.title, height as u32, |canvas| self.draw(canvas, height))
    }

    fn draw(&self, canvas: &Canvas<'_>, height: i32) -> Result<(), String> {
        let (low, high) = self.range().ok_or("there is no finite value")?;
        let place = |value: f64| {
            let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
            LEFT + (share * f64::from(RIGHT - LEFT)).round() as i32
        };
        let line = |from: (i32, i32), to: (i32, i32), style: ShapeStyle| {
            canvas.draw(&PathElement::new(vec![from, to], style)).map_err(|error| error.to_string())
        };
        write(canvas, &self.title, (WIDTH as i32 / 2, 18), (17, HPos::Center))?;
        let bottom = height - BELOW + 4;
        let step = step(high - low);
        let first = (low / step).ceil() as i64;
        for tick in first..=(high / step).floor() as i64 {
            let value = tick as f64 * step;
            line((place(value), ABOVE), (place(value), bottom), INK.mix(0.25).stroke_width(1))?;
            write(canvas, &number(value, step), (place(value), bottom + 12), (12, HPos::Center))?;
        }
        write(canvas, &self.axis, (i32::midpoint(LEFT, RIGHT), bottom + 34), (13, HPos::Center))?;
        let style = COLOURS[0].stroke_width(2);
        for (index, row) in self.rows.iter().enumerate() {
            let y = ABOVE + ROW * index as i32 + ROW / 2;
            write(canvas, &shortened(&row.name), (LEFT - 12, y), (12, HPos::Right))?;
            let [lower, upper] = row.interval;
            if lower.is_some() || upper.is_some() {
                line((lower.map_or(LEFT, place), y), (upper.map_or(RIGHT, place), y), style)?;
            }
            if let Some(value) = row.value.filter(|value| value.is_finite()) {
                let dot = Circle::new((place(value), y), 4, COLOURS[0].filled());
                canvas.draw(&dot).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    /// From the smallest to the largest number, with a margin.
    fn range(&self) -> Option<(f64, f64)> {
        let numbers = self.rows.iter().flat_map(|row| row.interval.into_iter().chain([row.value])).flatten();
        let (low, high) = numbers
            .filter(|number| number.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(one), high.max(one)));
        let margin = (0.05 * (high - low)).max(1e-6);
        (low <= high).then_some((low - margin, high + margin))
    }
}

/// A round distance of ticks that gives four to ten of them: 1, 2 or 5 times a power of ten.
fn step(span: f64) -> f64 {
    let power = 10_f64.powf((span / 5.0).log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().rfind(|factor| factor * power <= span / 4.0);
    factor.unwrap_or(1.0) * power
}

fn number(value: f64, step: f64) -> String {
    let decimals = if step >= 1.0 { 0 } else { (-step.log10().floor()) as usize };
    format!("{value:.decimals$}")
}

/// What fits beside a row; the end of a name tells more than its middle.
pub(super) fn shortened(name: &str) -> String {
    const LONGEST: usize = 36;
    let count = name.chars().count();
    if count <= LONGEST {
        return name.into();
    }
    let end: String = name.chars().skip(count - LONGEST + 1).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_show_names_values_and_open_intervals() {
        let row = |name: &str, value, interval| Row { name: name.into(), value, interval };
        let rows = vec![
            row("mateIn1", Some(1500.0), [Some(1450.0), Some(1550.0)]),
            row("a <name>", None, [Some(1700.0), None]),
            row(&"long ".repeat(20), Some(1600.0), [None, None]),
        ];
        let chart = Rows { title: "t".into(), axis: "Elo".into(), rows };
        let svg = chart.svg().unwrap();
        for expected in ["mateIn1", "a &lt;name&gt;", "1500", "1600", "Elo", "…"] {
            assert!(svg.contains(expected), "{expected} is missing in {svg}");
        }
        assert!(Rows { rows: vec![row("x", None, [None, None])], ..chart }.svg().is_err());
    }

    #[test]
    fn ticks_are_round() {
        for (span, expected) in [(100.0, 20.0), (7.0, 1.0), (0.5, 0.1), (1000.0, 200.0), (2600.0, 500.0)] {
            assert!((step(span) - expected).abs() < 1e-9, "{span}: {}", step(span));
        }
        assert_eq!(
            (number(0.300_000_000_04, 0.1), number(1500.0, 100.0)),
            ("0.3".to_string(), "1500".into())
        );
    }
}
