use std::{io::Write as _, path::PathBuf, process::ExitCode};

use indicatif::HumanBytes;

/// Compare every byte of a store with the hashes in its manifest.
///
/// Reading a store checks only the parts that are read; this command checks all of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya data verify stores/masters")]
pub(crate) struct Arguments {
    /// A directory made by `tabiya data build`
    store: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let bytes = dataset::store::verify(&arguments.store)?;
    writeln!(
        std::io::stdout(),
        "{}: {} are as they were written",
        arguments.store.display(),
        HumanBytes(bytes)
    )?;
    Ok(ExitCode::SUCCESS)
}
