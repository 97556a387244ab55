//! `tabiya net calibrate`.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use network::train::StoreSamples;

use super::output;
use crate::engine::read_weights;

/// Measure the activation ranges of a network, which int8 inference needs.
///
/// The ranges are added to a copy of the network in our format (.tabiya); everything else stays as it was.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya net calibrate maia-1900.pb.gz stores/human maia-1900.tabiya")]
pub(super) struct Arguments {
    /// Network: .tabiya, lc0's .pb.gz, or `default`
    network: String,
    /// Sample store; the training split is used
    store: PathBuf,
    /// The weights file to write, ending in .tabiya; may be the one that is read
    output: PathBuf,
    /// Replace the file where it exists
    #[arg(long)]
    force: bool,
    /// How many positions to measure on
    #[arg(long, default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let in_place = Path::new(&arguments.network) == arguments.output;
    output::check(&arguments.output, &["tabiya"], arguments.force || in_place)?;
    let mut weights = read_weights(&arguments.network)?;
    let samples = StoreSamples::open(&arguments.store, &weights.spec)?;
    let ranges = network::calibrate(&weights, &samples, arguments.positions as usize)?;
    let (positions, count) = (ranges.positions, ranges.ranges.len());
    weights.calibration = Some(ranges);
    weights.write(&arguments.output)?;
    let place = arguments.output.display();
    writeln!(std::io::stdout(), "{place}: ranges of {count} activations on {positions} positions")?;
    Ok(ExitCode::SUCCESS)
}
