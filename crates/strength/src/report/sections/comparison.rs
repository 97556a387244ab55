//! Experiments side by side.

use figures::Percent;
use serde_json::Value;

use super::{Section, SectionRating, empty, part};
use crate::{
    comparison::{ComparedExperiment, Comparison},
    report::decimals,
    statistics::{Rating, elo_range},
};

/// The columns of an experiment.
const HEADER: [&str; 10] = [
    "experiment",
    "parameters",
    "samples of those published",
    "hours",
    "samples/s",
    "policy loss",
    "value loss",
    "nodes/s",
    "ladder",
    "round-robin",
];

/// The columns of published figures.
const PUBLISHED: [&str; 4] = ["experiment", "published", "value", "here"];

pub(super) fn comparison(value: &Value) -> Result<Section, serde_json::Error> {
    let comparison: Comparison = part(value)?;
    let mut section = empty("Experiments compared".into());
    let names = comparison.experiments.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ");
    section.summary.push(format!("{names}. Ratings with 95 % intervals; losses on held-out samples, with those of a trivial predictor in brackets."));
    section.table(&HEADER, comparison.experiments.iter().map(row));
    if let Some(against) = &comparison.against {
        let rows = beside(&comparison.experiments, &against.experiments);
        section.table(&["experiment", "what differs", "here", "against"], rows);
        section.provenance.push(("against".into(), format!("{}; {}", against.program, against.machine)));
    }
    let mut published = Vec::new();
    for one in &comparison.experiments {
        for parts in &one.published {
            let mut row = vec![one.name.clone()];
            row.extend_from_slice(parts);
            row.resize(PUBLISHED.len(), "-".into());
            published.push(row);
        }
    }
    if !published.is_empty() {
        section.table(&PUBLISHED, published);
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

/// Differences between two comparisons, experiment by experiment; experiments in only one of them are listed
/// as such.
fn beside(here: &[ComparedExperiment], there: &[ComparedExperiment]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for one in here {
        let Some(other) = there.iter().find(|other| other.name == one.name) else {
            rows.push([&one.name, "all", "there", "missing"].map(String::from).to_vec());
            continue;
        };
        let (now, before) = (row(one), row(other));
        for (column, what) in HEADER.iter().enumerate() {
            if now[column] != before[column] {
                let cells: [&str; 4] = [&one.name, what, &now[column], &before[column]];
                rows.push(cells.map(String::from).to_vec());
            }
        }
    }
    let missing = there.iter().filter(|other| here.iter().all(|one| one.name != other.name));
    rows.extend(missing.map(|other| [&other.name, "all", "missing", "there"].map(String::from).to_vec()));
    rows
}

fn row(one: &ComparedExperiment) -> Vec<String> {
    let rate = one
        .training_positions
        .zip(one.training_seconds)
        .map(|(positions, seconds)| positions as f64 / seconds);
    vec![
        one.name.clone(),
        decimals(one.parameters, 0),
        samples(one),
        decimals(one.training_seconds.map(|seconds| seconds / 3600.0), 2),
        decimals(rate, 0),
        loss(one.policy_loss, "nats"),
        loss(one.value_loss, one.value_unit.as_deref().unwrap_or_default()),
        decimals(one.nodes_per_second, 0),
        rating(one.ladder),
        rating(one.round_robin),
    ]
}

/// A loss with its unit, and that of a trivial predictor in brackets.
fn loss(loss: Option<[f64; 2]>, unit: &str) -> String {
    let space = if unit.is_empty() { "" } else { " " };
    loss.map_or("-".into(), |[found, trivial]| format!("{found:.4}{space}{unit} ({trivial:.4})"))
}

/// Samples that were seen, and their share of the published number.
fn samples(one: &ComparedExperiment) -> String {
    match (one.training_positions, one.published_samples) {
        (None, _) => "-".into(),
        (Some(seen), None) => seen.to_string(),
        (Some(seen), Some(published)) => {
            format!("{seen} of {published}, {}", Percent(seen as f64 / published as f64))
        }
    }
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
            published_samples: Some(72_000),
            training_seconds: Some(3600.0),
            policy_loss: Some([2.5, 3.3]),
            value_loss: Some([1.998, 3.65]),
            value_unit: Some("pawns".into()),
            nodes_per_second: Some(1234.4),
            ladder: Some(rating),
            round_robin: None,
            published: vec![vec!["L1 in pawns".into(), "1.43".into()]],
        };
        let comparison = Comparison {
            kind: Comparison::KIND.into(),
            experiments: vec![trained],
            machine: "m".into(),
            program: "p".into(),
            against: None,
        };
        let section = comparison_section(&comparison);
        let row = &section.tables[0].rows[0];
        assert_eq!(
            row[..8],
            [
                "trained",
                "230153",
                "7200 of 72000, 10.0 %",
                "1.00",
                "2",
                "2.5000 nats (3.3000)",
                "1.9980 pawns (3.6500)",
                "1234"
            ]
        );
        assert!(row[8].contains("1500") && row[8].ends_with("200 games"), "{row:?}");
        assert_eq!(row[9], "-");
        assert_eq!(section.tables[1].rows, [["trained", "L1 in pawns", "1.43", "-"]]);
        assert_eq!(section.ratings[0].elo, Some(1500.0));

        let mut later = comparison.clone();
        later.experiments[0].training_positions = Some(14_400);
        later
            .experiments
            .push(ComparedExperiment { name: "new".into(), ..comparison.experiments[0].clone() });
        let gone = ComparedExperiment { name: "gone".into(), ..comparison.experiments[0].clone() };
        let before =
            Comparison { experiments: [&comparison.experiments[..], &[gone]].concat(), ..comparison.clone() };
        later.against = Some(Box::new(before));
        let rows = &comparison_section(&later).tables[1].rows;
        assert_eq!(
            rows[0],
            ["trained", "samples of those published", "14400 of 72000, 20.0 %", "7200 of 72000, 10.0 %"]
        );
        assert_eq!(rows[1][..3], ["trained", "samples/s", "4"]);
        assert_eq!(rows[2..], [["new", "all", "there", "missing"], ["gone", "all", "missing", "there"]]);
    }

    fn comparison_section(value: &Comparison) -> Section {
        comparison(&serde_json::to_value(value).unwrap()).unwrap()
    }
}
