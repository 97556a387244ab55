//! Experiments side by side.

use serde_json::Value;

use super::{Section, SectionRating, empty, part, table};
use crate::{
    comparison::{ComparedExperiment, Comparison},
    statistics::{Rating, elo_range},
};

pub(super) fn comparison(value: &Value) -> Result<Section, serde_json::Error> {
    let comparison: Comparison = part(value)?;
    let mut section = empty("Experiments compared".into());
    let names = comparison.experiments.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ");
    section.summary.push(format!("{names}. Ratings with 95 % intervals; losses on held-out samples, in brackets what a trivial predictor has there."));
    let header = [
        "experiment",
        "parameters",
        "positions",
        "hours",
        "positions/s",
        "policy loss",
        "value loss",
        "nodes/s",
        "ladder",
        "round-robin",
    ];
    section.tables.push(table(&header, comparison.experiments.iter().map(row).collect()));
    let published: Vec<Vec<String>> = (comparison.experiments.iter())
        .flat_map(|one| {
            one.published.iter().map(|[what, value]| vec![one.name.clone(), what.clone(), value.clone()])
        })
        .collect();
    if !published.is_empty() {
        section.tables.push(table(&["experiment", "published", "value"], published));
    }
    for one in &comparison.experiments {
        section.provenance.push((one.name.clone(), one.player.clone()));
        if let Some(rating) = one.ladder {
            section.ratings.push(SectionRating {
                name: one.name.clone(),
                scale: "ladder".into(),
                elo: rating.elo,
                interval: [rating.lower, rating.upper],
            });
        }
    }
    section.provenance.push(("machine".into(), comparison.machine.clone()));
    section.provenance.push(("program".into(), comparison.program.clone()));
    Ok(section)
}

fn row(one: &ComparedExperiment) -> Vec<String> {
    let number =
        |value: Option<f64>, digits: usize| value.map_or("-".into(), |value| format!("{value:.digits$}"));
    let loss = |loss: Option<[f64; 2]>| {
        loss.map_or("-".into(), |[found, trivial]| format!("{found:.4} ({trivial:.4})"))
    };
    let rate = one
        .training_positions
        .zip(one.training_seconds)
        .map(|(positions, seconds)| positions as f64 / seconds);
    vec![
        one.name.clone(),
        number(one.parameters.map(|count| count as f64), 0),
        number(one.training_positions.map(|count| count as f64), 0),
        number(one.training_seconds.map(|seconds| seconds / 3600.0), 2),
        number(rate, 0),
        loss(one.policy_loss),
        loss(one.value_loss),
        number(one.nodes_per_second, 0),
        rating(one.ladder),
        rating(one.round_robin),
    ]
}

fn rating(rating: Option<Rating>) -> String {
    rating.map_or("-".into(), |Rating { elo, lower, upper, games }| {
        format!("{}, {games} games", elo_range(elo, lower, upper))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_stands_beside_what_was_published() {
        let rating = Rating { elo: Some(1500.0), lower: Some(1450.0), upper: Some(1550.0), games: 200 };
        let trained = ComparedExperiment {
            name: "trained".into(),
            player: "net=x".into(),
            parameters: Some(230_153),
            training_positions: Some(7200),
            training_seconds: Some(3600.0),
            policy_loss: Some([2.5, 3.3]),
            value_loss: None,
            nodes_per_second: Some(1234.4),
            ladder: Some(rating),
            round_robin: None,
            published: vec![["L1 in pawns".into(), "1.43".into()]],
        };
        let comparison = Comparison {
            kind: Comparison::KIND.into(),
            experiments: vec![trained],
            machine: "m".into(),
            program: "p".into(),
        };
        let section = comparison_section(&comparison);
        let row = &section.tables[0].rows[0];
        assert_eq!(row[..8], ["trained", "230153", "7200", "1.00", "2", "2.5000 (3.3000)", "-", "1234"]);
        assert!(row[8].contains("1500") && row[8].ends_with("200 games"), "{row:?}");
        assert_eq!(row[9], "-");
        assert_eq!(section.tables[1].rows, [["trained", "L1 in pawns", "1.43"]]);
        assert_eq!(section.ratings[0].elo, Some(1500.0));
    }

    fn comparison_section(value: &Comparison) -> Section {
        comparison(&serde_json::to_value(value).unwrap()).unwrap()
    }
}
