use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use dataset::{LoaderState, Split};
use player::read_weights;
use training::{Samples as _, StoreSamples, StreamRequest, first_batches};

use crate::commands::{engine_arguments::named_weights, file_kinds::TABIYA};

/// Measure the activation ranges of a network, which int8 inference needs.
///
/// Writes the network with the ranges to OUTPUT; an lc0 network is converted to .tabiya.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya net calibrate maia-1900.pb.gz stores/human maia-1900.tabiya")]
pub(super) struct Arguments {
    #[arg(help = named_weights())]
    network: String,
    /// Sample store; the training split is used
    store: PathBuf,
    /// Weights file to write (.tabiya); may be the input
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Number of positions
    #[arg(long, default_value_t = network::CALIBRATION_POSITIONS, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
}

/// Positions in a batch of the store.
const BATCH: usize = 64;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let in_place = Path::new(&arguments.network) == arguments.output;
    TABIYA.check(
        &arguments.output,
        std::slice::from_ref(&arguments.store),
        Some(arguments.force || in_place),
    )?;
    let mut weights = read_weights(&arguments.network)?;
    let samples = StoreSamples::open(&arguments.store, &weights.spec)?;
    let positions = arguments.positions as usize;
    let request = StreamRequest {
        split: Split::Train,
        batch_size: BATCH.min(positions),
        seed: 0,
        // Adjacent samples in a store come from the same game.
        shuffle_window: 1 << 16,
        threads: 1,
        start: LoaderState::default(),
    };
    let batches = first_batches(&samples, request, positions)?;
    let ranges = network::calibrate(&weights, &batches, samples.hash())?;
    let (positions, count) = (ranges.positions, ranges.ranges.len());
    weights.calibration = Some(ranges);
    weights.write(&arguments.output)?;
    let place = arguments.output.display();
    writeln!(std::io::stdout(), "{place}: ranges of {count} activations on {positions} positions")?;
    Ok(ExitCode::SUCCESS)
}
