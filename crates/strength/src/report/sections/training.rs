//! The log of a training run.

use serde_json::{Value, json};

use super::{Mark, Point, Section, Series, empty, figure};

/// Points of a curve, at most: more cannot be told apart.
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
    for (key, title) in [("policy_loss", "Policy loss"), ("value_loss", "Value loss")] {
        let size = steps.len().div_ceil(POINTS).max(1);
        let mean = |chunk: &[&Value], key: &str| {
            let values: Vec<f64> = chunk.iter().filter_map(|line| line[key].as_f64()).collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        let training = steps.chunks(size).map(|chunk| (mean(chunk, "step"), mean(chunk, key)));
        let held_out = lines
            .iter()
            .filter(|line| line["kind"] == "validation")
            .filter_map(|line| Some((line["step"].as_f64()?, line["validation"]["overall"][key].as_f64()?)));
        let series = |name: &str, mark, points: Vec<(f64, f64)>| {
            let points = points.into_iter().map(|(x, y)| Point { x, y, interval: None }).collect();
            Series { name: name.into(), mark, points }
        };
        let mut all = vec![series("training", Mark::Line, training.collect())];
        let held_out = series("held out", Mark::Line, held_out.collect());
        if !held_out.points.is_empty() {
            all.push(held_out);
        }
        section.figures.push(figure(title, ["step", "loss, nats"], Vec::new(), all));
    }
    section.source = source.into();
    section.data = json!({ "steps": last["step"], "lines": lines.len() });
    Ok(section)
}
