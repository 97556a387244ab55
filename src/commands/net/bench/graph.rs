//! The speed of an ONNX file, which the runtime computes in batches.

use std::time::Duration;

use chess::{EvaluationRequest, Evaluator, Game, Move};
use player::open_evaluator;
use serde_json::json;

use super::{Arguments, fastest_round, positions_with_moves, sum_of_threads};

/// Positions of a round, at least. Chosen: a round of small batches is then long compared with the clock.
const POSITIONS: usize = 32;

/// Evaluations per second, all threads together.
struct Row {
    threads: u16,
    batch: u16,
    evaluations: f64,
}

impl Row {
    /// The time of a thread for a batch.
    fn milliseconds(&self) -> f64 {
        1000.0 * f64::from(self.threads) * f64::from(self.batch) / self.evaluations
    }
}

/// The table of an ONNX file, or JSON.
pub(super) fn measured(arguments: &Arguments) -> anyhow::Result<String> {
    let evaluator = open_evaluator(&arguments.network, None)?.evaluator;
    let games = positions_with_moves(arguments.batch.iter().copied().max().unwrap_or(1).into())?;
    let time = Duration::from_secs_f64(arguments.seconds);
    let mut rows = Vec::new();
    for &threads in &arguments.threads {
        for &batch in &arguments.batch {
            let games = &games[..batch.into()];
            let evaluations = sum_of_threads(threads, || rate(evaluator.as_ref(), games, time))?;
            rows.push(Row { threads, batch, evaluations });
        }
    }
    let name = evaluator.describe();
    Ok(if arguments.json { json(&name, &rows) } else { table(&name, &rows) })
}

/// Positions per second of one thread.
fn rate(evaluator: &dyn Evaluator, games: &[(Vec<Move>, Game)], time: Duration) -> anyhow::Result<f64> {
    let requests: Vec<_> =
        games.iter().map(|(legal_moves, game)| EvaluationRequest { game, legal_moves }).collect();
    let batches = POSITIONS.div_ceil(requests.len());
    let seconds = fastest_round(time, || {
        for _ in 0..batches {
            std::hint::black_box(evaluator.evaluate(&requests)?);
        }
        Ok(())
    })?;
    Ok((batches * requests.len()) as f64 / seconds)
}

fn json(name: &str, rows: &[Row]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({
                "threads": row.threads,
                "batch": row.batch,
                "evaluations_per_second": row.evaluations,
                "milliseconds_per_batch": row.milliseconds(),
            })
        })
        .collect();
    json!({ "network": name, "measurements": rows }).to_string()
}

fn table(name: &str, rows: &[Row]) -> String {
    let mut lines = Vec::with_capacity(rows.len());
    for row in rows {
        let Row { threads, batch, evaluations } = row;
        lines.push(format!("{threads:7}  {batch:5}  {evaluations:13.0}  {:8.3}", row.milliseconds()));
    }
    format!("{name}\nthreads  batch  evaluations/s  ms/batch\n{}", lines.join("\n"))
}
