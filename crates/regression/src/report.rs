//! The results of training as text, JSON and an SVG image.

use std::fmt;

use figures::{Axis, Chart, Colour, Figure, Scale, Series};
use serde::{Deserialize, Serialize};

use crate::RegressionError;

/// The results of training; errors are mean absolute differences from the labels, in pawns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct RegressionReport {
    pub kind: String,
    pub title: String,
    /// Number of training samples.
    pub positions: u64,
    /// Number of held-out samples with which the share of a network is chosen.
    pub tuning_positions: u64,
    /// Number of held-out samples of other games, on which all errors are measured except those of cross-validation.
    pub test_positions: u64,
    pub seconds: f64,
    /// The error of always predicting the median of the training labels.
    pub constant: f64,
    /// The error of counting material.
    pub material: f64,
    pub learners: Vec<LearnerReport>,
    /// The error of all of them together.
    pub ensemble: f64,
    pub blend: Option<BlendReport>,
}

impl RegressionReport {
    /// Kind and version of the JSON.
    pub const KIND: &str = "tabiya-regression-1";

    /// A warning after the error of a learner that is of no use.
    fn verdict(&self, error: f64) -> &'static str {
        if error < self.constant { "" } else { ", worse than always the median" }
    }
}

impl fmt::Display for RegressionReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { positions, test_positions, constant, material, ensemble, .. } = self;
        writeln!(
            formatter,
            "mean absolute error in pawns on {test_positions} held-out positions, after learning from {positions}:"
        )?;
        writeln!(formatter, "  {constant:.3}  always the median")?;
        writeln!(formatter, "  {material:.3}  material")?;
        for LearnerReport { name, kind, weight, error, sweep, neighbours, original, .. } in &self.learners {
            let chosen = neighbours.map(|count| format!(", {count} neighbours")).unwrap_or_default();
            writeln!(
                formatter,
                "  {error:.3}  {name} ({kind}), weight {weight:.2}{chosen}{}",
                self.verdict(*error)
            )?;
            if let Some(SweepPoint { neighbours, error }) = original {
                let verdict = self.verdict(*error);
                writeln!(
                    formatter,
                    "  {error:.3}  {name} with {neighbours} neighbours, as in the original{verdict}"
                )?;
            }
            for SweepPoint { neighbours, error } in sweep {
                writeln!(formatter, "         {neighbours} neighbours: {error:.3} (cross-validation)")?;
            }
        }
        write!(formatter, "  {ensemble:.3}  together")?;
        if let Some(BlendReport { network, share, network_error, error }) = &self.blend {
            write!(
                formatter,
                "\n  {network_error:.3}  {network}\n  {error:.3}  {share:.2} of it, the rest together"
            )?;
        }
        Ok(())
    }
}

/// One learner of an ensemble: its weight, and its error alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct LearnerReport {
    pub name: String,
    pub kind: String,
    pub weight: f32,
    /// Its cross-validated error on training games, with which its weight was chosen.
    pub tuning_error: f64,
    /// Its mean absolute error in pawns.
    pub error: f64,
    /// Cross-validated errors by number of neighbours.
    pub sweep: Vec<SweepPoint>,
    /// Its number of neighbours; `None` for other learners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<usize>,
    /// The number of neighbours in the original, with its mean absolute error in pawns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<SweepPoint>,
}

/// A number of neighbours and its error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct SweepPoint {
    pub neighbours: usize,
    /// The error with this number of neighbours.
    pub error: f64,
}

/// A mixture with a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct BlendReport {
    pub network: String,
    /// The network's share of the value, 0 to 1.
    pub share: f32,
    /// The network's own error in pawns.
    pub network_error: f64,
    pub error: f64,
}

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
