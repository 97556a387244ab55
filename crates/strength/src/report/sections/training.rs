//! The log of a training run, a network's predictions on held-out positions, and learners without a network.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Section, empty, part, short};
use crate::{
    report::decimals,
    statistics::{Measurement, mean},
};

/// The value of `kind` that identifies the curves of a log for the page.
const KIND: &str = "tabiya-training-1";

/// The losses drawn, by their keys.
const LOSSES: [(&str, &str); 2] = [("policy_loss", "Policy loss"), ("value_loss", "Value loss")];

/// Most points of a curve: more cannot be distinguished in print.
const POINTS: usize = 400;

pub(super) fn log(source: &str, text: &str) -> Result<Section, String> {
    let mut lines: Vec<Value> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        lines.push(serde_json::from_str(line).map_err(|error| format!("line {number}: {error}"))?);
    }
    let steps: Vec<&Value> = lines.iter().filter(|line| line["kind"] == "step").collect();
    let last = steps.last().ok_or("found no step of training, expected lines of kind step")?;
    let mut section = empty(format!("Training: {source}"));
    let (mut losses, mut curves) = (Vec::new(), Vec::new());
    for (key, title) in LOSSES {
        // A network without a policy or a value has a loss of 0 in every step.
        if steps.iter().all(|step| step[key].as_f64().is_none_or(|loss| loss == 0.0)) {
            continue;
        }
        if let Some(loss) = last[key].as_f64() {
            losses.push(format!("last {} {loss:.3}", title.to_lowercase()));
        }
        let curve = curve(key, title, &steps, &lines);
        if curve["series"].as_array().is_some_and(|series| !series.is_empty()) {
            curves.push(curve);
        }
    }
    section.summary.push(format!(
        "{} steps; {} (training samples, one batch).",
        last["step"],
        losses.join(", ")
    ));
    section.source = source.into();
    section.data = json!({ "kind": KIND, "steps": last["step"], "curves": curves });
    Ok(section)
}

/// The chart of a loss: its means over runs of neighbouring steps, and its values on held-out positions.
fn curve(key: &str, title: &str, steps: &[&Value], lines: &[Value]) -> Value {
    let size = steps.len().div_ceil(POINTS).max(1);
    let mut training = Vec::new();
    for chunk in steps.chunks(size) {
        if let (Some(step), Some(loss)) = (mean_of(chunk, "step"), mean_of(chunk, key)) {
            training.push([step, loss]);
        }
    }
    let mut held_out = Vec::new();
    for line in lines.iter().filter(|line| line["kind"] == "validation") {
        // Other programs write the validation losses into the line of the step.
        let losses = line.get("validation").unwrap_or(line);
        if let (Some(step), Some(loss)) = (line["step"].as_f64(), losses[key].as_f64()) {
            held_out.push([step, loss]);
        }
    }
    let series = [("training", training), ("held out", held_out)];
    let drawn = series.into_iter().filter(|(_, points)| !points.is_empty());
    let drawn: Vec<Value> = drawn.map(|(name, points)| json!({ "name": name, "points": points })).collect();
    json!({ "title": title, "series": drawn })
}

/// The mean of a field over the lines that have it; `None` if no line has.
fn mean_of(lines: &[&Value], key: &str) -> Option<f64> {
    mean(lines.iter().filter_map(|line| line[key].as_f64()))
}

/// The part of the JSON of `tabiya net validate` that the section shows.
#[derive(Deserialize)]
struct HeldOut {
    network: String,
    store: String,
    #[serde(default)]
    recipe: Option<String>,
    positions: u64,
    #[serde(default)]
    value_unit: String,
    #[serde(default)]
    intervals: BTreeMap<String, Measurement>,
    #[serde(default)]
    baselines: BTreeMap<String, f64>,
}

/// The metrics: key, name, unit. The result itself holds the unit of the value loss.
const METRICS: [(&str, &str, &str); 11] = [
    ("policy_loss", "policy loss over the legal moves", "nats"),
    ("all_moves_loss", "policy loss over all moves", "nats"),
    ("illegal_move_loss", "loss of illegal moves", "nats"),
    ("top1", "target is the likeliest move", "%"),
    ("top3", "target is among the likeliest three", "%"),
    ("top5", "target is among the likeliest five", "%"),
    ("policy_entropy", "entropy of the policy", "nats"),
    ("value_loss", "value loss", ""),
    ("value_error", "expected score off by", "points"),
    ("value_rms", "root mean square of that", "points"),
    ("value_correlation", "correlation of expected scores", "r"),
];

pub(super) fn held_out(value: &Value) -> Result<Section, serde_json::Error> {
    let found: HeldOut = part(value)?;
    let mut section = empty(format!("Held-out positions: {}", short(&found.network)));
    section.summary.push(format!(
        "{} positions of {} that are not in the training split.",
        found.positions, found.store
    ));
    let rows = METRICS.iter().filter_map(|(key, name, unit)| {
        let unit = if *key == "value_loss" { found.value_unit.as_str() } else { unit };
        let scale = if unit == "%" { 100.0 } else { 1.0 };
        let measured = found.intervals.get(*key)?.map(|value| value * scale);
        let digits = if unit == "%" { 1 } else { 4 };
        let trivial = decimals(found.baselines.get(*key).map(|base| base * scale), digits);
        Some(vec![
            (*name).into(),
            unit.into(),
            format!("{measured:.digits$}"),
            trivial,
            measured.samples.to_string(),
        ])
    });
    let header = ["metric", "unit", "value (95 %)", "uniform policy, best constant", "positions"];
    section.table(&header, rows);
    section.provenance.extend(found.recipe.map(|recipe| ("losses of".into(), recipe)));
    Ok(section)
}

/// The part of the JSON of `tabiya train` that the section shows.
#[derive(Deserialize)]
struct Fitted {
    title: String,
    positions: u64,
    test_positions: u64,
    constant: f64,
    material: f64,
    learners: Vec<Learner>,
    ensemble: f64,
    blend: Option<Blend>,
}

#[derive(Deserialize)]
struct Learner {
    name: String,
    kind: String,
    weight: f64,
    error: f64,
    sweep: Vec<Point>,
    original: Option<Point>,
}

#[derive(Deserialize)]
struct Point {
    neighbours: usize,
    error: f64,
}

#[derive(Deserialize)]
struct Blend {
    network: String,
    share: f64,
    network_error: f64,
    error: f64,
}

pub(super) fn learners(value: &Value) -> Result<Section, serde_json::Error> {
    let found: Fitted = part(value)?;
    let mut section = empty(format!("Learners: {}", found.title));
    section.summary.push(format!(
        "Mean absolute errors in pawns on {} held-out positions, after learning from {}.",
        found.test_positions, found.positions
    ));
    let mut rows = vec![row("always the median", "-", found.constant), row("material", "-", found.material)];
    for learner in &found.learners {
        let name = format!("{} ({})", learner.name, learner.kind);
        rows.push(row(&name, format!("{:.2}", learner.weight), learner.error));
        if let Some(Point { neighbours, error }) = learner.original {
            let name = format!("{} with {neighbours} neighbours, as in the original", learner.name);
            rows.push(row(&name, "-", error));
        }
    }
    rows.push(row("together", "1", found.ensemble));
    if let Some(blend) = &found.blend {
        rows.push(row(&blend.network, "-", blend.network_error));
        let name = format!("{:.2} of the network, the rest together", blend.share);
        rows.push(row(&name, "-", blend.error));
    }
    section.table(&["predictor", "weight", "error"], rows);
    for learner in found.learners.iter().filter(|learner| !learner.sweep.is_empty()) {
        let rows = learner
            .sweep
            .iter()
            .map(|point| vec![point.neighbours.to_string(), format!("{:.3}", point.error)]);
        section.table(&["neighbours", "error (cross-validation)"], rows);
    }
    Ok(section)
}

/// A row of the table of predictors.
fn row(name: &str, weight: impl Into<String>, error: f64) -> Vec<String> {
    vec![name.into(), weight.into(), format!("{error:.3}")]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metrics_have_their_units_intervals_and_baselines() {
        let value = json!({"kind": "tabiya-validation-1", "network": "runs/x/network.tabiya", "store": "stores/x", "recipe": "recipes/x",
            "positions": 2639, "value_unit": "pawns", "policy_loss": 0.0,
            "intervals": {"value_loss": {"value": 2.018, "lower": 1.94, "upper": 2.1, "samples": 2639},
                "top1": {"value": 0.3, "lower": 0.25, "upper": 0.35, "samples": 2639}},
            "baselines": {"value_loss": 3.72, "top1": 0.08}});
        let section = held_out(&value).unwrap();
        let rows = &section.tables[0].rows;
        assert_eq!(rows[0][1..], ["%", "30.0 (25.0 to 35.0)", "8.0", "2639"]);
        assert_eq!(rows[1], ["value loss", "pawns", "2.0180 (1.9400 to 2.1000)", "3.7200", "2639"]);
        assert_eq!(section.provenance, [("losses of".into(), "recipes/x".into())]);
    }

    #[test]
    fn errors_stand_beside_those_of_a_constant() {
        let value = json!({"kind": "tabiya-regression-1", "title": "T", "positions": 100, "tuning_positions": 10,
            "test_positions": 12, "seconds": 1.0, "constant": 3.35, "material": 1.5, "ensemble": 1.25,
            "learners": [{"name": "near", "kind": "nearest-neighbours", "weight": 0.75, "tuning_error": 1.4, "error": 1.375,
                "sweep": [{"neighbours": 2, "error": 1.994}]}],
            "blend": {"network": "n.tabiya", "share": 0.9, "network_error": 1.2, "error": 1.1875}});
        let section = learners(&value).unwrap();
        let rows = &section.tables[0].rows;
        assert_eq!(rows[0], ["always the median", "-", "3.350"]);
        assert_eq!(rows[2], ["near (nearest-neighbours)", "0.75", "1.375"]);
        assert_eq!(rows[5][2], "1.188");
        assert_eq!(section.tables[1].rows, [["2", "1.994"]]);
        assert!(section.summary[0].contains("12 held-out positions, after learning from 100"));
    }
}
