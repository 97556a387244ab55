//! The log of a self-play run in the form of a training run's log, so that the page can draw it: one step is one generation.

use std::path::Path;

use figures::{Chart, Colour, Figure, Point, Series};
use files::{OutputError, OutputFile};
use serde_json::{Value, json};

use crate::{Generation, generation::chained_elo};

/// Why a log was not written.
#[derive(Debug, thiserror::Error)]
pub enum RunLogError {
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The curves cannot be drawn.
    #[error("cannot draw the generations: {0}")]
    Drawing(#[from] figures::DrawingError),
}

/// Writes the log of all generations so far, and draws it. Older lines do not change, so a page that has read them can read on.
///
/// # Errors
/// [`RunLogError`].
pub fn write(path: &Path, title: &str, generations: &[Generation]) -> Result<(), RunLogError> {
    let mut text = String::new();
    for line in lines(generations) {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    OutputFile::open(path)?.finish(&text)?;
    let image = Figure { title: title.into(), height: 260, charts: charts(generations) }.svg()?;
    Ok(OutputFile::open(&path.with_file_name(files::run::CURVES))?.finish(image)?)
}

/// Curves of a run: strength, and statistics of the games.
fn charts(generations: &[Generation]) -> Vec<Chart> {
    // The start is the zero of the scale.
    let mut elo = vec![Point::from((0.0, 0.0))];
    for link in chained_elo(generations) {
        let interval = Some([link.elo - link.margin, link.elo + link.margin]);
        elo.push(Point { x: f64::from(link.number), y: link.elo, interval });
    }
    let (mut scores, mut surprises, mut plies, mut draws) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for generation in generations {
        let number = f64::from(generation.number);
        scores.push(Point::from((number, score(generation.gate.games))));
        surprises.push(Point::from((number, generation.games.mean_surprise())));
        plies.push(Point::from((number, generation.games.mean_plies())));
        draws.push(Point::from((number, generation.games.draw_share())));
    }
    vec![
        chart("Elo over the start, of the networks that took over (bars: 95 %, adding up)", Some(0.0), elo),
        chart("score of the new network against the one in force", Some(0.5), scores),
        chart("policy surprise of the games learned from, nats", None, surprises),
        chart("half-moves a game", None, plies),
        chart("share of games drawn", None, draws),
    ]
}

fn chart(title: &str, baseline: Option<f64>, points: Vec<Point>) -> Chart {
    let series = vec![Series::new(Colour::Blue, points).dotted()];
    Chart { title: title.into(), series, baseline, ..Chart::default() }
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
                "games": games.games,
                "plies": games.mean_plies(),
                "white": games.results[0] as f64 / count,
                "drawn": games.draw_share(),
                "black": games.results[2] as f64 / count,
                "surprise": games.mean_surprise(),
                "gate_games": gate.games.iter().sum::<u32>(),
                "gate_score": score(gate.games),
                "took_over": u8::from(gate.promoted),
                "elo": elo.map(|link| link.elo),
                "elo_lower": elo.map(|link| link.elo - link.margin),
                "elo_upper": elo.map(|link| link.elo + link.margin),
            },
        }));
        lines.push(json!({
            "kind": "validation",
            "step": number,
            "validation": {
                "policy_loss": losses.get("policy"),
                "value_loss": losses.get("value"),
                "top1": losses.get("top-1"),
                "baselines": {
                    "policy_loss": losses.get("policy of a uniform choice"),
                    "value_loss": losses.get("value of the mean"),
                },
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

    use super::*;
    use crate::{GateResult, NetworkName, generation::GameStatistics};

    fn generation(number: u32, promoted: bool) -> Generation {
        Generation {
            number,
            played_by: NetworkName(0),
            games: GameStatistics { games: 4, results: [1, 2, 1], plies: 200, ..GameStatistics::default() },
            window: crate::generation::WindowSummary::default(),
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
        assert_eq!(
            (&games["games"], &games["white"], &games["black"]),
            (&json!(4), &json!(0.25), &json!(0.25))
        );
        assert_eq!((&games["gate_games"], &games["took_over"]), (&json!(10), &json!(1)));
        assert_eq!((&games["elo"], &games["elo_lower"]), (&json!(100.0), &json!(60.0)));
        assert_eq!(lines[1]["validation"]["baselines"]["policy_loss"], json!(3.0));
        assert_eq!(lines[2]["selfplay"]["elo"], Value::Null, "it stays behind");
        assert_eq!(lines[2]["selfplay"]["took_over"], json!(0));
    }

    #[test]
    fn a_longer_log_begins_with_the_shorter_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        write(&path, "toy", &[generation(1, true)]).unwrap();
        let before = std::fs::read_to_string(&path).unwrap();
        write(&path, "toy", &[generation(1, true), generation(2, true)]).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().starts_with(&before));
        let image = std::fs::read_to_string(folder.path().join(files::run::CURVES)).unwrap();
        // Elo of the start and of two generations; four charts of both generations.
        assert_eq!(image.matches("<circle").count(), 3 + 4 * 2, "{image}");
    }
}
