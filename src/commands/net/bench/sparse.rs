//! The speed of a sparse network, which evaluates one position at a time.

use std::time::Duration;

use chess::{Evaluator as _, Game, Move};
use network::{CpuOptions, Isa, Weights, sparse::SparseEvaluator};
use serde_json::json;

use super::{Arguments, fastest_round, positions_with_moves, sum_of_threads};

/// Chosen: their features need more room than the inner caches have, as in a search.
const POSITIONS: usize = 512;

/// Outputs to compute for a position.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Value,
    ValueAndPriors,
}

/// Evaluations per second, all threads together.
struct Row {
    threads: u16,
    values: f64,
    both: f64,
}

/// The table of a sparse network, or JSON.
pub(super) fn measured(arguments: &Arguments, weights: &Weights, isa: Isa) -> anyhow::Result<String> {
    let evaluator = SparseEvaluator::from_weights(weights, CpuOptions { isa: Some(isa), precision: None })?;
    let games = positions_with_moves(POSITIONS)?;
    let time = Duration::from_secs_f64(arguments.seconds);
    let mut rows = Vec::new();
    for &threads in &arguments.threads {
        let rate_of = |wanted| sum_of_threads(threads, || rate(&evaluator, &games, wanted, time));
        let (values, both) = (rate_of(Wanted::Value)?, rate_of(Wanted::ValueAndPriors)?);
        rows.push(Row { threads, values, both });
    }
    Ok(if arguments.json { json(&evaluator, &rows) } else { table(&evaluator, &rows) })
}

/// Positions per second of one thread.
fn rate(
    evaluator: &SparseEvaluator,
    games: &[(Vec<Move>, Game)],
    wanted: Wanted,
    time: Duration,
) -> anyhow::Result<f64> {
    let Some(mut of_thread) = evaluator.position_evaluator() else { return Ok(0.0) };
    let mut priors = Vec::new();
    let seconds = fastest_round(time, || {
        for (moves, game) in games {
            std::hint::black_box(of_thread.value(game.position()));
            if wanted == Wanted::ValueAndPriors {
                of_thread.priors(game.position(), moves, 1.0, &mut priors);
            }
        }
        Ok(())
    })?;
    Ok(games.len() as f64 / seconds)
}

fn json(evaluator: &SparseEvaluator, rows: &[Row]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({
                "threads": row.threads,
                "values_per_second": row.values,
                "evaluations_per_second": row.both,
            })
        })
        .collect();
    json!({ "network": evaluator.describe(), "measurements": rows }).to_string()
}

fn table(evaluator: &SparseEvaluator, rows: &[Row]) -> String {
    let mut lines = Vec::with_capacity(rows.len());
    for Row { threads, values, both } in rows {
        let microseconds = 1e6 * f64::from(*threads) / both;
        lines.push(format!("{threads:7}  {values:8.0}  {both:17.0}  {microseconds:17.2}"));
    }
    format!(
        "{}\nthreads  values/s  value and policy/s  microseconds each\n{}",
        evaluator.describe(),
        lines.join("\n")
    )
}
