//! Two overlapping sets as circles whose areas, the common one included, are in proportion to their counts.

use plotters::{
    prelude::{Circle, Color as _},
    style::text_anchor::HPos,
};

use super::{
    canvas::{COLOURS, Canvas, image, write},
    figure::FigureError,
};

const HEIGHT: u32 = 320;
/// Centre of the picture and radius of the larger circle.
const CENTRE: (i32, i32) = (380, 180);
const RADIUS: f64 = 105.0;

/// Counts of two overlapping sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// What it shows.
    pub title: String,
    /// Names of the sets.
    pub names: [String; 2],
    /// In both, in the first only, in the second only, in neither.
    pub counts: [f64; 4],
}

impl Overlap {
    /// The chart as an SVG image.
    ///
    /// # Errors
    /// [`FigureError`] where both sets are empty, or when drawing fails.
    pub fn svg(&self) -> Result<String, FigureError> {
        image(&self.title, HEIGHT, |canvas| self.draw(canvas))
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Result<(), String> {
        let [both, first, second, neither] = self.counts;
        let largest = (both + first).max(both + second);
        if !(largest > 0.0 && largest.is_finite()) {
            return Err("both sets are empty".into());
        }
        let radius = |count: f64| RADIUS * (count / largest).sqrt();
        let radii = [radius(both + first), radius(both + second)];
        let area = std::f64::consts::PI * RADIUS * RADIUS * both / largest;
        let distance = distance(radii, area);
        // The picture as a whole stands in the middle: from the left edge of the first to the right edge of the second.
        let left = f64::from(CENTRE.0) - (radii[0] + distance + radii[1]) / 2.0;
        let centres = [left + radii[0], left + radii[0] + distance];
        write(canvas, &self.title, (380, 18), (17, HPos::Center))?;
        for ((centre, radius), colour) in centres.iter().zip(radii).zip(COLOURS) {
            let place = (centre.round() as i32, CENTRE.1);
            for style in [colour.mix(0.3).filled(), colour.stroke_width(2)] {
                let circle = Circle::new(place, radius.round() as i32, style);
                canvas.draw(&circle).map_err(|error| error.to_string())?;
            }
        }
        let edges = [centres[0] - radii[0], centres[1] + radii[1]];
        let total: f64 = self.counts.iter().sum();
        let told = |count: f64| format!("{count:.0} ({:.1} %)", 100.0 * count / total);
        let (low, high) = (CENTRE.1 - 14, CENTRE.1 + 8);
        let outside =
            [(edges[0].round() as i32 - 14, HPos::Right), (edges[1].round() as i32 + 14, HPos::Left)];
        for (((x, side), name), count) in outside.into_iter().zip(&self.names).zip([first, second]) {
            write(canvas, &format!("{name} only"), (x, low), (13, side))?;
            write(canvas, &told(count), (x, high), (13, side))?;
        }
        let common = f64::midpoint(centres[1] - radii[1], centres[0] + radii[0]).round() as i32;
        write(canvas, "both", (common, low), (13, HPos::Center))?;
        write(canvas, &told(both), (common, high), (13, HPos::Center))?;
        write(canvas, &format!("neither: {}", told(neither)), (CENTRE.0, 304), (13, HPos::Center))
    }
}

/// The distance of two circles whose common area is `area`, by bisection: it falls from full cover to none.
fn distance(radii: [f64; 2], area: f64) -> f64 {
    let (mut near, mut far) = ((radii[0] - radii[1]).abs(), radii[0] + radii[1]);
    for _ in 0..60 {
        let middle = f64::midpoint(near, far);
        if lens(radii, middle) > area {
            near = middle;
        } else {
            far = middle;
        }
    }
    f64::midpoint(near, far)
}

/// The common area of two circles (Weisstein, "Circle-Circle Intersection", MathWorld).
fn lens([first, second]: [f64; 2], distance: f64) -> f64 {
    if distance >= first + second {
        return 0.0;
    }
    if distance <= (first - second).abs() {
        return std::f64::consts::PI * first.min(second).powi(2);
    }
    let half_angle = |own: f64, other: f64| {
        ((distance * distance + own * own - other * other) / (2.0 * distance * own)).clamp(-1.0, 1.0).acos()
    };
    let sector = |radius: f64, angle: f64| radius * radius * (angle - angle.sin() * angle.cos());
    sector(first, half_angle(first, second)) + sector(second, half_angle(second, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_what_was_asked_for() {
        for (radii, share) in [([100.0, 100.0], 0.5), ([100.0, 40.0], 0.05), ([60.0, 90.0], 0.2)] {
            let area = std::f64::consts::PI * 100.0 * 100.0 * share;
            let found = lens(radii, distance(radii, area));
            assert!((found - area).abs() < 1.0, "{radii:?} {share}: {found} for {area}");
        }
        assert_eq!(lens([2.0, 1.0], 0.5), std::f64::consts::PI, "one inside the other");
        assert_eq!(lens([2.0, 1.0], 3.0), 0.0);
    }

    #[test]
    fn every_count_is_told() {
        let names = ["a <first>".into(), "second".into()];
        let overlap = Overlap { title: "t".into(), names, counts: [40.0, 10.0, 20.0, 30.0] };
        let svg = overlap.svg().unwrap();
        for expected in
            ["40 (40.0 %)", "10 (10.0 %)", "20 (20.0 %)", "neither: 30 (30.0 %)", "a &lt;first&gt; only"]
        {
            assert!(svg.contains(expected), "{expected} is missing in {svg}");
        }
        assert!(Overlap { counts: [0.0, 0.0, 0.0, 5.0], ..overlap }.svg().is_err());
    }
}
