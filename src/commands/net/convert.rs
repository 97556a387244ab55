//! `tabiya net convert`.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use network::Weights;

/// Write a network in another format, without loss.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya net convert maia-1900.pb.gz maia-1900.tabiya")]
pub(super) struct Arguments {
    /// The weights file: ours, or lc0's (.pb.gz)
    network: PathBuf,
    /// The file to write; its ending says in which format: .tabiya
    output: PathBuf,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { network, output } = arguments;
    let ending = output.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    anyhow::ensure!(
        ending == "tabiya",
        "{}: the ending {ending:?} names no format; expected .tabiya",
        output.display()
    );
    let weights = Weights::read(network)?;
    weights.write(output)?;
    report(&weights, output)?;
    Ok(ExitCode::SUCCESS)
}

fn report(weights: &Weights, output: &Path) -> anyhow::Result<()> {
    let size = std::fs::metadata(output)?.len() as f64 / 1e6;
    let shape = weights.spec.shape_name();
    writeln!(std::io::stdout(), "{}: {} {shape}, {size:.1} MB", output.display(), weights.provenance.name)?;
    Ok(())
}
