//! The log of a training run.

use serde_json::{Value, json};

use super::{Section, empty};

/// The value of `kind` that identifies the curves of a log for the page.
const KIND: &str = "tabiya-training-1";

/// The losses drawn, by their keys.
const LOSSES: [(&str, &str); 2] = [("policy_loss", "Policy loss"), ("value_loss", "Value loss")];

/// Most points of a curve: more cannot be distinguished in print.
const POINTS: usize = 400;

pub(super) fn log(source: &str, text: &str) -> Result<Section, String> {
    let lines: Vec<Value> = text
        .lines()
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))
        })
        .collect::<Result<_, _>>()?;
    let steps: Vec<&Value> = lines.iter().filter(|line| line["kind"] == "step").collect();
    let last = steps.last().ok_or("found no step of training, expected lines of kind step")?;
    let mut section = empty(format!("Training: {source}"));
    // A network without a policy or a value has a loss of 0 in every step.
    let is_learned = |key: &str| steps.iter().any(|step| step[key].as_f64().is_some_and(|loss| loss != 0.0));
    let learned: Vec<(&str, &str)> = LOSSES.into_iter().filter(|(key, _)| is_learned(key)).collect();
    let last_loss = |&(key, title): &(&str, &str)| {
        Some(format!("last {} {:.3}", title.to_lowercase(), last[key].as_f64()?))
    };
    let losses: Vec<String> = learned.iter().filter_map(last_loss).collect();
    section.summary.push(format!(
        "{} steps; {} (training samples, one batch).",
        last["step"],
        losses.join(", ")
    ));
    let size = steps.len().div_ceil(POINTS).max(1);
    let curve = |&(key, title): &(&str, &str)| {
        let mean = |chunk: &[&Value], key: &str| {
            let values: Vec<f64> = chunk.iter().filter_map(|line| line[key].as_f64()).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let training: Vec<[f64; 2]> =
            steps.chunks(size).filter_map(|chunk| Some([mean(chunk, "step")?, mean(chunk, key)?])).collect();
        // Other programs write the validation losses into the line of the step.
        let held_out: Vec<[f64; 2]> = lines
            .iter()
            .filter(|line| line["kind"] == "validation")
            .filter_map(|line| {
                Some([line["step"].as_f64()?, line.get("validation").unwrap_or(line)[key].as_f64()?])
            })
            .collect();
        let series = [("training", training), ("held out", held_out)];
        let drawn = series.into_iter().filter(|(_, points)| !points.is_empty());
        let drawn: Vec<Value> =
            drawn.map(|(name, points)| json!({ "name": name, "points": points })).collect();
        json!({ "title": title, "series": drawn })
    };
    let mut curves: Vec<Value> = learned.iter().map(curve).collect();
    curves.retain(|curve| curve["series"].as_array().is_some_and(|series| !series.is_empty()));
    section.source = source.into();
    section.data = json!({ "kind": KIND, "steps": last["step"], "curves": curves });
    Ok(section)
}
