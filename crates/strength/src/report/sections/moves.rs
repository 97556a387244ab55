//! Results on single positions: suites, puzzles, people, references, expected scores.

use figures::Percent;
use serde::de::Error as _;
use serde_json::Value;

use super::{Section, empty, part, short};
use crate::{
    metrics::{AgreementTable, CentipawnLoss, HumanMatch, ValueCalibration},
    puzzles::{PuzzleGroup, PuzzleResult},
    report::decimals,
    statistics::Measurement,
    suite::SuiteResult,
};

/// Player, limits, machine and program, as every command on positions writes them.
pub(super) fn provenance(value: &Value) -> Result<Vec<(String, String)>, serde_json::Error> {
    let identity: Option<Vec<(String, String)>> =
        part(&value["identity"]).map_err(|error| serde_json::Error::custom(format!("identity: {error}")))?;
    let conditions = ["player", "pace", "source", "sample", "judge", "machine", "program"];
    let mut lines = Vec::new();
    for key in conditions {
        match &value[key] {
            Value::Null => {}
            Value::String(text) => lines.push((key.to_string(), text.clone())),
            other => lines.push((key.to_string(), other.to_string())),
        }
    }
    let after_pace = lines.len().min(2);
    lines.splice(after_pace..after_pace, identity.unwrap_or_default());
    Ok(lines)
}

pub(super) fn title(what: &str, value: &Value) -> String {
    let player = value["player"].as_str().unwrap_or("?");
    format!("{what}: {}, {}", short(player), value["pace"].as_str().unwrap_or("?"))
}

pub(super) fn suite(value: &Value) -> Result<Section, serde_json::Error> {
    let (suites, puzzles): (Vec<SuiteResult>, Vec<PuzzleResult>) =
        (part(&value["suites"])?, part(&value["puzzles"])?);
    let mut section = empty(title("Suites", value));
    let rows = suites.iter().map(|suite| {
        vec![
            suite.suite.clone(),
            suite.solved.samples.to_string(),
            suite.solved.percent(),
            suite.points.map(Measurement::percent).unwrap_or_default(),
            Percent(suite.random.solved).to_string(),
            Percent(suite.material.solved).to_string(),
        ]
    });
    if !suites.is_empty() {
        let header =
            ["suite", "positions", "solved (95 %)", "points (95 %)", "random solves", "material solves"];
        section.table(&header, rows);
    }
    for result in &puzzles {
        let overall = &result.overall;
        section.summary.push(format!(
            "{}: {} of {} puzzles solved, puzzle rating {} (95 %).",
            result.puzzles,
            overall.solved.percent(),
            overall.solved.samples,
            overall.rating_text()
        ));
        puzzle_tables(&mut section, result);
    }
    section.provenance = provenance(value)?;
    Ok(section)
}

fn puzzle_tables(section: &mut Section, result: &PuzzleResult) {
    let header = ["puzzles", "number", "solved (95 %)", "random", "first legal", "material"];
    let bands = result.bands.iter().chain([&result.overall]);
    section.table(&header, bands.map(PuzzleGroup::cells));
    let themes = result.themes.iter().map(|theme| {
        vec![
            theme.name.clone(),
            theme.rating_text(),
            theme.solved.samples.to_string(),
            theme.solved.percent(),
            Percent(theme.material).to_string(),
        ]
    });
    let header = ["theme", "rating (95 %)", "number", "solved (95 %)", "material"];
    if !result.themes.is_empty() {
        section.table(&header, themes);
    }
}

pub(super) fn human(value: &Value) -> Result<Section, serde_json::Error> {
    let matched: HumanMatch = part(&value["matched"])?;
    let losses: Vec<CentipawnLoss> = part(&value["losses"])?;
    let mut section = empty(title("Moves of people found", value));
    section.summary.push(format!(
        "{} of {} moves of people found.",
        matched.overall.matched.percent(),
        matched.overall.matched.samples
    ));
    let rows = matched.bands.iter().chain([&matched.overall]).map(|band| {
        vec![
            band.band.map_or("all".into(), |band| band.to_string()),
            band.games.to_string(),
            band.matched.percent(),
            Percent(band.random).to_string(),
            Percent(band.first_legal).to_string(),
            Percent(band.material).to_string(),
        ]
    });
    section.table(&["rating from", "games", "matched (95 %)", "random", "first legal", "material"], rows);
    if !losses.is_empty() {
        let rows = losses.iter().map(|loss| {
            let (centipawns, expected) = (format!("{:.1}", loss.mean), format!("{:.4}", loss.expected));
            vec![loss.player.clone(), centipawns, expected, loss.blunders.percent()]
        });
        let header =
            ["moves of", "centipawns lost a move (95 %)", "of the expected score", "lose 100 or more (95 %)"];
        section.table(&header, rows);
    }
    section.provenance = provenance(value)?;
    Ok(section)
}

pub(super) fn agreement(value: &Value) -> Result<Section, serde_json::Error> {
    let player: AgreementTable = part(&value["table"])?;
    let baselines: Vec<AgreementTable> = part(&value["baselines"])?;
    let others = value["others"].as_array().into_iter().flatten();
    let others: Vec<AgreementTable> = others.map(|other| part(&other["table"])).collect::<Result<_, _>>()?;
    let all: Vec<&AgreementTable> = std::iter::once(&player).chain(&others).chain(&baselines).collect();
    let mut section = empty(title("Agreement with two references", value));
    section.summary.push(format!(
        "The references agree with each other in {} of {} positions; precision, recall and F1 follow from that more than \
         from the player, as the row of the random mover shows.",
        player.references.percent(),
        player.positions
    ));
    let rows = all.iter().map(|table| {
        let agreed = table.where_agreed.map(Measurement::percent).unwrap_or_default();
        vec![short(&table.player), table.first.percent(), table.second.percent(), agreed]
    });
    let header = ["moves of", "first (95 %)", "second (95 %)", "where both agree (95 %)"];
    section.table(&header, rows);
    let rows = all.iter().map(|table| {
        let cells = table.counts.iter().map(|count| format!("{count:.0}"));
        std::iter::once(short(&table.player)).chain(cells).collect()
    });
    section.table(&["moves equal", "both", "first only", "second only", "neither"], rows);
    let rows = all.iter().map(|table| {
        let legacy = table.legacy;
        let ratios = [Some(legacy.accuracy), legacy.precision, legacy.recall, legacy.f1];
        let mut row = vec![short(&table.player)];
        row.extend(ratios.map(|ratio| decimals(ratio, 4)));
        row
    });
    section.table(&["legacy definition", "accuracy", "precision", "recall", "F1"], rows);
    section.provenance = provenance(value)?;
    Ok(section)
}

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
        let (rmse, auc) = (decimals(one.rmse, 3), decimals(one.auc, 3));
        vec![short(&one.player), brier, rmse, auc, error, one.brier.samples.to_string()]
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
