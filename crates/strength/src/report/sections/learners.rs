//! Learners without a network, by their errors.

use serde::Deserialize;
use serde_json::Value;

use super::{Section, empty, part};

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
    let row = |name: &str, weight: String, error: f64| vec![name.into(), weight, format!("{error:.3}")];
    let mut rows = vec![
        row("always the median", "-".into(), found.constant),
        row("material", "-".into(), found.material),
    ];
    for learner in &found.learners {
        let name = format!("{} ({})", learner.name, learner.kind);
        rows.push(row(&name, format!("{:.2}", learner.weight), learner.error));
        if let Some(Point { neighbours, error }) = learner.original {
            let name = format!("{} with {neighbours} neighbours, as in the original", learner.name);
            rows.push(row(&name, "-".into(), error));
        }
    }
    rows.push(row("together", "1".into(), found.ensemble));
    if let Some(blend) = &found.blend {
        rows.push(row(&blend.network, "-".into(), blend.network_error));
        let name = format!("{:.2} of the network, the rest together", blend.share);
        rows.push(row(&name, "-".into(), blend.error));
    }
    section.table(&["predictor", "weight", "error"], rows);
    for learner in found.learners.iter().filter(|learner| !learner.sweep.is_empty()) {
        let line = |point: &Point| vec![point.neighbours.to_string(), format!("{:.3}", point.error)];
        section.table(&["neighbours", "error (cross-validation)"], learner.sweep.iter().map(line));
    }
    Ok(section)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
