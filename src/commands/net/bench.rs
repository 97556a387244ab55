mod graph;
mod sparse;

use std::{
    io::Write as _,
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use chess::{CastlingMode, Game, Move};
use figures::Percent;
use network::{
    CpuOptions, Isa, Precision, Throughput, Weights, encoded, measure_throughput, onnx::OnnxNetwork, peak_of,
};
use player::read_weights;
use serde_json::json;
use training::MAX_THREADS;

use crate::commands::engine_arguments::named_networks;

/// Measure evaluations per second of a network on this CPU, by precision, threads and batch size.
///
/// Networks that are not residual towers run layer by layer, in f32 and int8. The share of the peak compares the executed multiply-adds with the maximum of the arithmetic unit, measured in the same run.
/// The nominal share counts the multiply-adds of direct convolution, of which Winograd's algorithm needs a quarter.
/// `TABIYA_ISA` forces an instruction set. A sparse network evaluates one position at a time, whatever the batch size: once for
/// values only, and once for values with policies. An ONNX file runs in f32; its rate includes the encoding of positions and the
/// probabilities of moves.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya net bench maia-1900.pb.gz
  TABIYA_ISA=avx2 tabiya net bench default --batch 1,8 --threads 1,2 --json")]
pub(super) struct Arguments {
    #[arg(help = named_networks())]
    network: String,
    /// Batch sizes
    #[arg(long, value_delimiter = ',', default_values_t = [1, 8, 32, 128], value_parser = clap::value_parser!(u16).range(1..))]
    batch: Vec<u16>,
    /// Thread counts
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2], value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS as i64))]
    threads: Vec<u16>,
    /// Seconds per measurement
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One line of the table.
struct Row {
    precision: Precision,
    peak: f64,
    threads: u16,
    batch: u16,
    throughput: Throughput,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let seconds = arguments.seconds;
    anyhow::ensure!((0.0..=3600.0).contains(&seconds), "--seconds: found {seconds}, expected 0 to 3600");
    if OnnxNetwork::is_one(Path::new(&arguments.network)) {
        writeln!(std::io::stdout(), "{}", graph::measured(arguments)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let weights = read_weights(&arguments.network)?;
    let isa = Isa::chosen()?;
    let mut out = std::io::stdout().lock();
    if weights.spec.sparse().is_ok() {
        writeln!(out, "{}", sparse::measured(arguments, &weights, isa)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows = measure(arguments, &weights, isa)?;
    if arguments.json {
        writeln!(out, "{}", json(&weights, isa, &rows))?;
    } else {
        writeln!(out, "{}", table(&weights, isa, &rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(arguments: &Arguments, weights: &Weights, isa: Isa) -> anyhow::Result<Vec<Row>> {
    let games = positions(arguments.batch.iter().copied().max().unwrap_or(1).into())?;
    let mut rows = Vec::new();
    let precisions = weights.precisions()?;
    for precision in isa.precisions().into_iter().filter(|precision| precisions.contains(precision)) {
        let options = CpuOptions { isa: Some(isa), precision: Some(precision) };
        let network = network::compiled(weights, options)?;
        let peak = peak_of(&*network);
        for &threads in &arguments.threads {
            for &batch in &arguments.batch {
                let planes = encoded(&*network, &games[..batch.into()]);
                let time = Duration::from_secs_f64(arguments.seconds);
                let throughput = measure_throughput(&*network, &planes, threads.into(), time, peak);
                rows.push(Row { precision, peak, threads, batch, throughput });
            }
        }
    }
    Ok(rows)
}

/// Positions of one game after another, always the same: each move is the one whose number among the legal moves is the number
/// of the position times a prime.
fn positions(count: usize) -> anyhow::Result<Vec<Game>> {
    let start = Game::from_fen(Game::START_FEN, CastlingMode::Standard)?;
    let mut games = vec![start.clone()];
    for number in 1..count {
        let mut game = games[number - 1].clone();
        let moves = game.legal_moves();
        game.play(moves[number * 7919 % moves.len()])?;
        // Every game in the list has a legal move, so the next one can be played from it.
        let is_over = game.outcome().is_some() || game.legal_moves().is_empty();
        games.push(if is_over { start.clone() } else { game });
    }
    Ok(games)
}

/// Positions with their legal moves, which a search has anyway: they are found before the clock starts.
fn positions_with_moves(count: usize) -> anyhow::Result<Vec<(Vec<Move>, Game)>> {
    let mut found = Vec::with_capacity(count);
    for game in positions(count)? {
        found.push((game.legal_moves().into_iter().collect(), game));
    }
    Ok(found)
}

/// Seconds of the fastest of the rounds that fit into a time, at least one: others may have been disturbed by other programs.
fn fastest_round(time: Duration, mut round: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    while best.is_infinite() || start.elapsed() < time {
        let begin = Instant::now();
        round()?;
        best = best.min(begin.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// The sum of the rates of several threads that run at the same time.
fn sum_of_threads(threads: u16, rate: impl Fn() -> anyhow::Result<f64> + Sync) -> anyhow::Result<f64> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(&rate)).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .sum()
    })
}

fn json(weights: &Weights, isa: Isa, rows: &[Row]) -> serde_json::Value {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let Row { precision, peak, threads, batch, throughput } = row;
            json!({
                "precision": precision.name(),
                "threads": threads,
                "batch": batch,
                "evaluations_per_second": throughput.positions_per_second,
                "milliseconds_per_batch": throughput.milliseconds,
                "share_of_peak": throughput.share_of_peak,
                "nominal_share_of_peak": throughput.nominal_share_of_peak,
                "peak_multiply_adds_per_second": peak,
            })
        })
        .collect();
    let shape = weights.spec.shape_name();
    json!({ "network": weights.provenance.name, "shape": shape, "isa": isa.name(), "measurements": rows })
}

fn table(weights: &Weights, isa: Isa, rows: &[Row]) -> String {
    let refused = Isa::refusal().map(|reason| format!(" (not amx: {reason})")).unwrap_or_default();
    let mut lines = Vec::with_capacity(rows.len());
    for Row { precision, peak, threads, batch, throughput } in rows {
        lines.push(format!(
            "{:9}  {threads:7}  {batch:5}  {:13.0}  {:8.3}  {:8.1}  {:9.1}  {:8.1}",
            precision.name(),
            throughput.positions_per_second,
            throughput.milliseconds,
            Percent(throughput.share_of_peak),
            Percent(throughput.nominal_share_of_peak),
            peak / 1e9,
        ));
    }
    // Lists of layers need no calibration.
    let lacks_eight_bits = rows.iter().any(|row| row.precision != Precision::F32)
        && rows.iter().all(|row| row.precision != Precision::Int8);
    let uncalibrated = match weights.calibration {
        None if lacks_eight_bits => "\nint8: not calibrated (tabiya net calibrate)",
        _ => "",
    };
    format!(
        "{} {} on {isa}{refused}\n\
         precision  threads  batch  evaluations/s  ms/batch      peak    nominal  GMAC/s at peak\n{}{uncalibrated}",
        weights.provenance.name,
        weights.spec.shape_name(),
        lines.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_differ_and_are_not_over() {
        let games = positions(40).unwrap();
        assert_eq!(games.len(), 40);
        assert!(games.iter().all(|game| !game.legal_moves().is_empty()));
        assert!(games.windows(2).all(|pair| pair[0].fen() != pair[1].fen()));
    }
}
