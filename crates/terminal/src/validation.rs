//! The results of a validation as text.

use figures::Percent;
use training::{DeadUnits, Metric, Metrics, Validation};

/// The policy's metrics with their labels in a line of intervals.
const POLICY: [(&str, Metric); 6] = [
    ("loss", Metric::PolicyLoss),
    ("top-1", Metric::Top1),
    ("top-3", Metric::Top3),
    ("top-5", Metric::Top5),
    ("entropy", Metric::PolicyEntropy),
    ("illegal move loss", Metric::IllegalMoveLoss),
];

/// The value's metrics with their labels.
const VALUE: [(&str, Metric); 4] = [
    ("loss", Metric::ValueLoss),
    ("expected score off by", Metric::ValueError),
    ("rms", Metric::ValueRms),
    ("r", Metric::ValueCorrelation),
];

/// A validation as a table for the terminal, one line for each kind of label and head that the network has. Parts that have all
/// samples are left out.
pub fn validation_lines(validation: &Validation) -> Vec<String> {
    let parts = [
        ("all", Some(&validation.overall)),
        ("engine's moves", validation.evaluated.as_ref()),
        ("played moves", validation.played.as_ref()),
        ("not trained on", validation.unseen.as_ref()),
    ];
    let mut lines = Vec::new();
    for (place, (name, metrics)) in parts.into_iter().enumerate() {
        let Some(metrics) = metrics else { continue };
        // A part that has all samples repeats the first line.
        if place > 0 && metrics.positions == validation.overall.positions {
            continue;
        }
        lines.extend(policy_line(name, metrics));
        lines.extend(interval_line(&POLICY, metrics));
        lines.extend(value_line(name, &validation.value_unit, metrics));
        lines.extend(interval_line(&VALUE, metrics));
    }
    lines.extend(validation.dead_units.iter().map(|DeadUnits { layer, dead, units }| {
        format!(
            "  {layer}: {dead} of {units} units have stopped learning; a lower learning rate keeps them alive"
        )
    }));
    lines
}

/// Nothing for a network without a policy.
fn policy_line(name: &str, metrics: &Metrics) -> Option<String> {
    let Metrics { policy_positions, policy_loss, policy_entropy, baselines, .. } = metrics;
    if *policy_positions == 0 {
        return None;
    }
    let shares = [
        ("top-1", metrics.top1, baselines.top1),
        ("top-3", metrics.top3, baselines.top3),
        ("top-5", metrics.top5, baselines.top5),
    ];
    let shares = shares.map(|(name, share, base)| format!("{name} {} ({:.1})", Percent(share), 100.0 * base));
    let illegal = metrics.illegal_move_loss.zip(baselines.illegal_move_loss);
    let illegal =
        illegal.map_or(String::new(), |(loss, base)| format!(", illegal move loss {loss:.4} ({base:.4})"));
    Some(format!(
        "  {name:14} {policy_positions:>6} policy: loss {policy_loss:.4} nats ({:.4}), {}, \
         entropy {policy_entropy:.3}{illegal}",
        baselines.policy_loss,
        shares.join(", "),
    ))
}

/// The 95 % intervals below the line of the metrics; `None` for logs without them.
fn interval_line(labels: &[(&str, Metric)], metrics: &Metrics) -> Option<String> {
    let known = labels.iter().filter_map(|&(label, metric)| Some((label, metrics.interval(metric)?)));
    let ranges = known.map(|(label, found)| match label.strip_prefix("top-") {
        Some(_) => format!("{label} {:.1} to {:.1} %", 100.0 * found.lower, 100.0 * found.upper),
        None => format!("{label} {:.4} to {:.4}", found.lower, found.upper),
    });
    let ranges: Vec<String> = ranges.collect();
    (!ranges.is_empty()).then(|| format!("{:24}95 %:   {}", "", ranges.join(", ")))
}

/// Nothing if no sample has a value label.
fn value_line(name: &str, unit: &str, metrics: &Metrics) -> Option<String> {
    let Metrics { value_positions, baselines, .. } = metrics;
    let correlation = metrics.value_correlation.map_or(String::new(), |r| format!(", r {r:.4}"));
    let rms = metrics.value_rms.map_or(String::new(), |rms| format!(", rms {rms:.4}"));
    let space = if unit.is_empty() { "" } else { " " };
    Some(format!(
        "  {name:14} {value_positions:>6} value:  loss {:.4}{space}{unit} ({:.4}), expected score off by {:.4} ({:.4}){rms}{correlation}, \
         calibration error {:.4}",
        metrics.value_loss?,
        baselines.value_loss?,
        metrics.value_error?,
        baselines.value_error?,
        metrics.calibration_error?,
    ))
}

#[cfg(test)]
mod tests {
    use training::Baselines;

    use super::*;

    /// A training of values alone printed policy lines of a network that has none.
    #[test]
    fn only_the_heads_that_a_network_has_are_shown_with_the_unit_of_their_loss() {
        let metrics = |positions: u64| Metrics {
            positions,
            value_positions: positions,
            value_loss: Some(1.998),
            value_error: Some(0.1),
            calibration_error: Some(0.01),
            baselines: Baselines { value_loss: Some(3.65), value_error: Some(0.3), ..Baselines::default() },
            ..Metrics::default()
        };
        let value_unit = "pawns".into();
        let validation = Validation {
            overall: metrics(8),
            evaluated: Some(metrics(8)),
            value_unit,
            ..Validation::default()
        };
        let lines = validation_lines(&validation);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("value:  loss 1.9980 pawns (3.6500)"), "{lines:?}");
        let some = Validation { evaluated: Some(metrics(5)), ..validation };
        assert_eq!(validation_lines(&some).len(), 2);
    }

    #[test]
    fn intervals_stand_below_their_metrics_where_they_are_known() {
        let overall = serde_json::json!({
            "positions": 8, "value_positions": 0, "policy_positions": 8, "loss": 1.5, "policy_loss": 1.5, "top1": 0.5, "top3": 0.75,
            "top5": 1.0, "policy_entropy": 1.0, "baselines": { "policy_loss": 3.0, "top1": 0.05, "top3": 0.15, "top5": 0.25 },
            "intervals": {
                "policy_loss": { "value": 1.5, "lower": 1.25, "upper": 1.75, "samples": 8 },
                "top1": { "value": 0.5, "lower": 0.215, "upper": 0.785, "samples": 8 }
            }
        });
        let mut overall: Metrics = serde_json::from_value(overall).unwrap();
        let lines = |overall: &Metrics| {
            validation_lines(&Validation { overall: overall.clone(), ..Validation::default() })
        };
        let found = lines(&overall);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[1].trim_start(), "95 %:   loss 1.2500 to 1.7500, top-1 21.5 to 78.5 %");
        assert_eq!(found[0].find("loss"), found[1].find("loss"), "{found:?}");
        // A log of a version without intervals.
        overall.intervals.clear();
        assert_eq!(lines(&overall), found[..1]);
        // A network with logits for illegal moves.
        (overall.illegal_move_loss, overall.baselines.illegal_move_loss) = (Some(0.25), Some(3.5));
        let interval = serde_json::json!({
            "illegal_move_loss": { "value": 0.25, "lower": 0.125, "upper": 0.375, "samples": 8 }
        });
        overall.intervals = serde_json::from_value(interval).unwrap();
        let more = lines(&overall);
        assert_eq!(more[0], format!("{}, illegal move loss 0.2500 (3.5000)", found[0]));
        assert_eq!(more[1].trim_start(), "95 %:   illegal move loss 0.1250 to 0.3750");
    }
}
