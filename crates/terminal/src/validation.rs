//! The results of a validation as text.

use formatting::Percent;
use training::{DeadUnits, Metrics, Validation};

/// A validation as a table for the terminal, one line for each kind of label and head.
pub fn validation_lines(validation: &Validation) -> Vec<String> {
    let parts = [
        ("all", Some(&validation.overall)),
        ("engine's moves", validation.evaluated.as_ref()),
        ("played moves", validation.played.as_ref()),
        ("not trained on", validation.unseen.as_ref()),
    ];
    let mut lines = Vec::new();
    for (name, metrics) in parts {
        let Some(metrics) = metrics else { continue };
        lines.push(policy_line(name, metrics));
        lines.extend(value_line(name, metrics));
    }
    lines.extend(validation.dead_units.iter().map(|DeadUnits { layer, dead, units }| {
        format!(
            "  {layer}: {dead} of {units} units have stopped learning; a lower learning rate keeps them alive"
        )
    }));
    lines
}

fn policy_line(name: &str, metrics: &Metrics) -> String {
    let Metrics { policy_positions, policy_loss, policy_entropy, baselines, .. } = metrics;
    let shares = [
        ("top-1", metrics.top1, baselines.top1),
        ("top-3", metrics.top3, baselines.top3),
        ("top-5", metrics.top5, baselines.top5),
    ];
    let shares = shares.map(|(name, share, base)| format!("{name} {} ({:.1})", Percent(share), 100.0 * base));
    format!(
        "  {name:14} {policy_positions:>6} policy: loss {policy_loss:.4} ({:.4}), {}, entropy {policy_entropy:.3}",
        baselines.policy_loss,
        shares.join(", "),
    )
}

/// Nothing if no sample has a value label.
fn value_line(name: &str, metrics: &Metrics) -> Option<String> {
    let Metrics { value_positions, baselines, .. } = metrics;
    let correlation = metrics.value_correlation.map_or(String::new(), |r| format!(", r {r:.4}"));
    let rms = metrics.value_rms.map_or(String::new(), |rms| format!(", rms {rms:.4}"));
    Some(format!(
        "  {name:14} {value_positions:>6} value:  loss {:.4} ({:.4}), expected score off by {:.4} ({:.4}){rms}{correlation}, \
         calibration error {:.4}",
        metrics.value_loss?,
        baselines.value_loss?,
        metrics.value_error?,
        baselines.value_error?,
        metrics.calibration_error?,
    ))
}
