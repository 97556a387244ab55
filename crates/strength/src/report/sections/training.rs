//! The log of a training run.

use serde_json::{Value, json};

use super::{Section, empty};

/// The kind by which the page knows the curves of a log.
const KIND: &str = "tabiya-training-1";

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
    section.summary.push(format!(
        "{} steps; last policy loss {:.3}, last value loss {:.3} (training samples, one batch).",
        last["step"],
        last["policy_loss"].as_f64().unwrap_or(f64::NAN),
        last["value_loss"].as_f64().unwrap_or(f64::NAN)
    ));
    let size = steps.len().div_ceil(POINTS).max(1);
    let curve = |(key, title): (&str, &str)| {
        let mean = |chunk: &[&Value], key: &str| {
            let values: Vec<f64> = chunk.iter().filter_map(|line| line[key].as_f64()).collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        let training: Vec<[f64; 2]> =
            steps.chunks(size).map(|chunk| [mean(chunk, "step"), mean(chunk, key)]).collect();
        let held_out: Vec<[f64; 2]> = lines
            .iter()
            .filter(|line| line["kind"] == "validation")
            .filter_map(|line| Some([line["step"].as_f64()?, line["validation"]["overall"][key].as_f64()?]))
            .collect();
        let series = [("training", training), ("held out", held_out)];
        let drawn = series.into_iter().filter(|(_, points)| !points.is_empty());
        let drawn: Vec<Value> =
            drawn.map(|(name, points)| json!({ "name": name, "points": points })).collect();
        json!({ "title": title, "series": drawn })
    };
    let curves: Vec<Value> =
        [("policy_loss", "Policy loss"), ("value_loss", "Value loss")].into_iter().map(curve).collect();
    section.source = source.into();
    section.data = json!({ "kind": KIND, "steps": last["step"], "curves": curves });
    Ok(section)
}
