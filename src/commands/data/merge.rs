use std::{io::Write as _, path::PathBuf, process::ExitCode};

use dataset::{Split, Store, merge, store};
use indicatif::HumanCount;

/// Merge several stores into one.
///
/// The new store has every sample of the stores, in their splits, with the names of all sources and engines. The stores must have
/// the same share of games for validation, so that no game is in both splits.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: tabiya data merge stores/human stores/maia-1100 stores/maia-1900 stores/rated-games"
)]
pub(crate) struct Arguments {
    /// The store to create: a directory that does not exist yet, or s3://BUCKET/PREFIX, to which a temporary store is copied
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The stores, at least two
    #[arg(value_name = "STORE", required = true, num_args = 2..)]
    stores: Vec<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let stores = arguments.stores.iter().map(|path| Store::open(path)).collect::<Result<Vec<_>, _>>()?;
    store::make(&arguments.output, |output| merge(&stores, output))?;
    let merged = Store::open(&arguments.output)?;
    writeln!(
        std::io::stdout(),
        "{}: {} training and {} validation positions of {} stores",
        arguments.output.display(),
        HumanCount(merged.positions(Split::Train)),
        HumanCount(merged.positions(Split::Validation)),
        stores.len()
    )?;
    Ok(ExitCode::SUCCESS)
}
