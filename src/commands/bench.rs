//! `tabiya bench` times a deterministic search; `tabiya bench train` times training.

mod train;

use std::{io::Write as _, process::ExitCode};

use chess::StopSignal;
use search::bench::{DEFAULT_NODES, LARGEST_NODES, bench};

/// Benchmark the search, or training with `bench train`.
///
/// Searches twelve positions with an arithmetic evaluator (no network, no files), one thread and a fixed number of visits. The
/// signature is a checksum of the root visits: it is the same on every machine and changes only with the search's behaviour.
/// Commits that change the search end with it, as `Bench: N`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tabiya bench --nodes 5000 --json\n  tabiya bench train --blocks 4 --channels 48",
    args_conflicts_with_subcommands = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    other: Option<Other>,
    /// Visits per position; the signature is defined for the default
    #[arg(long, default_value_t = DEFAULT_NODES, value_parser = clap::value_parser!(u64).range(1..=LARGEST_NODES))]
    nodes: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Other {
    Train(train::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(Other::Train(arguments)) = &arguments.other {
        return train::run(arguments);
    }
    let measured = bench(arguments.nodes, &StopSignal::default())?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let report = serde_json::json!({
            "signature": measured.signature,
            "nodes": measured.visits,
            "evaluations": measured.evaluations,
            "seconds": measured.elapsed.as_secs_f64(),
            "nodes_per_second": measured.nodes_per_second(),
        });
        writeln!(out, "{report}")?;
    } else {
        measured.lines().iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
