//! Held-out value losses of several runs in one image, together with published ones.

use std::{collections::BTreeMap, path::Path};

use figures::{Axis, Chart, Colour, Figure, Series};

use network::NetworkError;

use crate::log::held_out_value_losses;

/// The losses of one training run.
#[derive(Clone, Debug, PartialEq)]
pub struct LossCurve {
    /// Name in the image.
    pub name: String,
    /// Progress of that training in percent, and the loss at that point.
    pub points: Vec<(f64, f64)>,
    /// True for published figures of others, which are drawn as thinner lines.
    pub is_published: bool,
}

impl LossCurve {
    /// The held-out value losses in the log of a training run, of this program or another with the same
    /// format; `None` if there are none.
    ///
    /// # Errors
    /// [`NetworkError`] naming `path` if `text` has a line that is not a log line.
    pub fn of_log(name: &str, path: &Path, text: &str) -> Result<Option<Self>, NetworkError> {
        let losses = held_out_value_losses(path, text)?;
        let Some(&(last, _)) = losses.last() else { return Ok(None) };
        let points = losses.iter().map(|&(step, loss)| (100.0 * step as f64 / last as f64, loss)).collect();
        Ok(Some(Self { name: name.into(), points, is_published: false }))
    }

    /// The curves of a published CSV table of epochs, for the split `validation`. The columns are `model`, `split`, `epoch`
    /// and, last, the loss.
    ///
    /// # Errors
    /// A message with the number of the first line that does not fit such a table.
    pub fn published(table: &str) -> Result<Vec<Self>, String> {
        let mut curves: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
        for (number, line) in (1_u32..).zip(table.lines()) {
            let columns: Vec<&str> = line.trim().split(',').collect();
            let [model, split, epoch, loss] = columns[..] else {
                return Err(refused(number, line, "model,split,epoch,LOSS"));
            };
            if number == 1 {
                if [model, split, epoch] != ["model", "split", "epoch"] {
                    return Err(refused(number, line, "the heading model,split,epoch,LOSS"));
                }
            } else if split == "validation" {
                let (Some(epoch), Some(loss)) = (finite(epoch), finite(loss)) else {
                    return Err(refused(number, line, "two numbers"));
                };
                curves.entry(model).or_default().push((epoch, loss));
            }
        }
        let mut published = Vec::with_capacity(curves.len());
        for (name, mut points) in curves {
            let last = points.iter().map(|point| point.0).fold(f64::MIN_POSITIVE, f64::max);
            for (epoch, _) in &mut points {
                *epoch *= 100.0 / last;
            }
            published.push(Self { name: name.into(), points, is_published: true });
        }
        Ok(published)
    }
}

fn refused(number: u32, line: &str, expected: &str) -> String {
    format!("line {number}: found {line:?}, expected {expected}")
}

fn finite(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Draws curves that share a unit, which the title names.
///
/// # Errors
/// A message if there is nothing to draw, or the message of the drawing library.
pub fn draw_loss_curves(title: &str, curves: &[LossCurve]) -> Result<String, String> {
    if curves.iter().all(|curve| curve.points.is_empty()) {
        return Err("found no held-out value loss to draw".into());
    }
    let series = curves.iter().enumerate().map(|(number, curve)| {
        let colour = Colour::OneOf(number, curves.len());
        let (width, origin) = if curve.is_published { (1, ", published") } else { (3, "") };
        let series = Series::new(colour, curve.points.iter().copied());
        Series { width, ..series.named(format!("{}{origin}", curve.name)) }
    });
    let x = Axis { range: Some(0.0..100.0), ..Axis::named("% of its training") };
    let chart = Chart { title: title.into(), x, series: series.collect(), ..Chart::default() };
    Figure { title: String::new(), height: 560, charts: vec![chart] }.svg().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "model,split,epoch,l1_loss_pawns\nE1,training,1,2.5\nE1,validation,1,2.0\nE1,validation,2,1.5\n\
                         E2,validation,1,1.4\n";

    #[test]
    fn a_published_table_is_its_held_out_curves_over_their_training() {
        let curves = LossCurve::published(TABLE).unwrap();
        let curve = |name: &str, points: &[(f64, f64)]| LossCurve {
            name: name.into(),
            points: points.to_vec(),
            is_published: true,
        };
        assert_eq!(curves, [curve("E1", &[(50.0, 2.0), (100.0, 1.5)]), curve("E2", &[(100.0, 1.4)])]);
        for (table, expected) in [
            ("model,epoch\n", "line 1"),
            ("a,b,c,d\n", "the heading"),
            ("model,split,epoch,loss\nE1,validation,one,2\n", "line 2"),
            ("model,split,epoch,loss\nE1,validation,1,nan\n", "two numbers"),
        ] {
            let refused = LossCurve::published(table).unwrap_err();
            assert!(refused.contains(expected), "{refused}");
        }
    }

    #[test]
    fn every_curve_is_drawn_and_named() {
        let mut curves = LossCurve::published(TABLE).unwrap();
        curves.push(LossCurve { name: "ours".into(), points: vec![(100.0, 1.2)], is_published: false });
        let image = draw_loss_curves("held-out loss", &curves).unwrap();
        assert!(image.starts_with("<svg") && !image.contains("NaN"), "{image}");
        for name in ["E1, published", "E2, published", "ours"] {
            assert!(image.contains(name), "{name}: {image}");
        }
        assert!(draw_loss_curves("nothing", &[]).unwrap_err().contains("no held-out value loss"));
    }
}
