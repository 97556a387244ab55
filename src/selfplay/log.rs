//! The log of a self-play run in the form of a training run's, so that the page draws it: one step is one generation.

use std::path::Path;

use anyhow::Result;
use selfplay::{Generation, generation::chained_elo};
use serde_json::{Value, json};

use crate::output_file::OutputFile;

/// Writes the log of all generations so far. Older lines stay what they were, so a page that has read them reads on.
pub(crate) fn write(path: &Path, generations: &[Generation]) -> Result<()> {
    let mut text = String::new();
    for line in lines(generations) {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    OutputFile::open(path)?.finish(&text)
}

fn lines(generations: &[Generation]) -> Vec<Value> {
    let chain = chained_elo(generations);
    let mut lines = Vec::new();
    for generation in generations {
        let Generation { number, games, gate, losses, .. } = generation;
        let elo = chain.iter().find(|link| link.number == *number);
        let count = games.games.max(1) as f64;
        lines.push(json!({
            "kind": "step",
            "step": number,
            "selfplay": {
                "plies": games.mean_plies(),
                "white": games.results[0] as f64 / count,
                "drawn": games.draw_share(),
                "surprise": games.mean_surprise(),
                "gate_score": score(gate.games),
                "elo": elo.map(|link| link.elo),
                "elo_lower": elo.map(|link| link.elo - link.margin),
                "elo_upper": elo.map(|link| link.elo + link.margin),
            },
        }));
        let loss = |name: &str| losses.get(name);
        lines.push(json!({
            "kind": "validation",
            "step": number,
            "validation": {
                "policy_loss": loss("policy"),
                "value_loss": loss("value"),
                "top1": loss("top-1"),
                "baselines": { "policy_loss": loss("policy of a uniform choice"), "value_loss": loss("value of the mean") },
            },
        }));
    }
    lines
}

fn score([won, drawn, lost]: [u32; 3]) -> f64 {
    (f64::from(won) + 0.5 * f64::from(drawn)) / f64::from((won + drawn + lost).max(1))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use selfplay::{GateResult, NetworkName, generation::GameStatistics};

    use super::*;

    fn generation(number: u32, promoted: bool) -> Generation {
        Generation {
            number,
            played_by: NetworkName(0),
            games: GameStatistics { games: 4, results: [1, 2, 1], plies: 200, ..GameStatistics::default() },
            window: selfplay::generation::WindowSummary::default(),
            losses: BTreeMap::from([
                ("policy".to_owned(), 2.5),
                ("policy of a uniform choice".to_owned(), 3.0),
            ]),
            seconds: 1.0,
            gate: GateResult {
                games: [6, 2, 2],
                elo: Some(100.0),
                lower: Some(60.0),
                upper: Some(140.0),
                promoted,
                reason: String::new(),
            },
        }
    }

    #[test]
    fn a_generation_has_its_games_its_losses_and_where_it_takes_over_its_elo() {
        let lines = lines(&[generation(1, true), generation(2, false)]);
        assert_eq!(lines.len(), 4);
        let games = &lines[0]["selfplay"];
        assert_eq!(
            (&games["plies"], &games["drawn"], &games["gate_score"]),
            (&json!(50.0), &json!(0.5), &json!(0.7))
        );
        assert_eq!((&games["elo"], &games["elo_lower"]), (&json!(100.0), &json!(60.0)));
        assert_eq!(lines[1]["validation"]["baselines"]["policy_loss"], json!(3.0));
        assert_eq!(lines[2]["selfplay"]["elo"], Value::Null, "it stays behind");
    }

    #[test]
    fn a_longer_log_begins_with_the_shorter_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        write(&path, &[generation(1, true)]).unwrap();
        let before = std::fs::read_to_string(&path).unwrap();
        write(&path, &[generation(1, true), generation(2, true)]).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().starts_with(&before));
    }
}
