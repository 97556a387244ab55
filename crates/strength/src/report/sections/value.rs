//! Section on the calibration of expected scores.

use figures::Percent;
use serde_json::Value;

use super::{
    Section, empty,
    moves::{provenance, title},
    part,
};
use crate::{metrics::ValueCalibration, statistics::Measurement};

pub(super) fn value(value: &Value) -> Result<Section, serde_json::Error> {
    let player: ValueCalibration = part(&value["calibration"])?;
    let baselines: Vec<ValueCalibration> = part(&value["baselines"])?;
    let all: Vec<&ValueCalibration> = std::iter::once(&player).chain(&baselines).collect();
    let mut section = empty(title("Expected scores", value));
    section.summary.push(format!(
        "Expected scores miss the results by {:.3} on average over the bins (calibration error), squared error {:.4}, in {} \
         positions.",
        player.error, player.brier, player.brier.samples
    ));
    let rows = all.iter().map(|one| {
        let (brier, error) = (format!("{:.4}", one.brier), format!("{:.3}", one.error));
        let or_none = |found: Option<Measurement>| found.map_or("-".into(), |found| format!("{found:.3}"));
        let (rmse, auc) = (or_none(one.rmse), or_none(one.auc));
        vec![super::short(&one.player), brier, rmse, auc, error, one.brier.samples.to_string()]
    });
    let header = [
        "expected by",
        "squared error (95 %)",
        "RMSE (95 %)",
        "AUC (95 %)",
        "calibration error (95 %)",
        "positions",
    ];
    section.table(&header, rows);
    let rows = player.bins.iter().map(|bin| {
        vec![
            format!("{:.0}-{:.0} %", 100.0 * bin.from, 100.0 * bin.to),
            Percent(bin.expected).to_string(),
            bin.scored.percent(),
            bin.scored.samples.to_string(),
        ]
    });
    section.table(&["expected", "mean", "scored (95 %)", "positions"], rows);
    section.provenance = provenance(value)?;
    Ok(section)
}
