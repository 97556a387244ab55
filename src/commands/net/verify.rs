use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use network::lc0::outputs::{ReferenceOutputs, Verdict};
use network::{Precision, container};
use player::open_evaluator;

use crate::commands::engine_arguments::named_networks;

/// Compare a network's output with lc0's in the same positions.
///
/// lc0 applies fast approximations of the exponential and the logarithm to the network's output before it prints it. So two
/// differences are shown: of the exact outputs, and after the same approximations. The second decides for a
/// file that lc0 wrote, the first for any other file. The network is computed in f32, even if another precision is
/// faster; `net compare` shows the effect of coarser precisions. The exit code is 1 if a position is out of tolerance.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya net verify maia-1900.pb.gz --reference maia-1900.lc0.json")]
pub(super) struct Arguments {
    #[arg(help = named_networks())]
    network: String,
    /// Reference outputs; docs/formats.md describes the file
    #[arg(long, value_name = "FILE")]
    reference: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let reference = read_reference(&arguments.reference)?;
    let evaluator = open_evaluator(&arguments.network, Some(Precision::F32))?.evaluator;
    let cases = reference.compare(evaluator.as_ref())?;
    let verdict = Verdict { evaluator: evaluator.describe(), reference, cases };
    let text = if arguments.json { serde_json::to_string_pretty(&verdict.json())? } else { verdict.text() };
    writeln!(std::io::stdout(), "{text}")?;
    Ok(if verdict.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read_reference(path: &Path) -> anyhow::Result<ReferenceOutputs> {
    let bytes = container::read(path, "reference outputs (JSON)", |beginning| {
        beginning.trim_ascii_start().first().is_none_or(|first| *first == b'{')
    })?;
    Ok(ReferenceOutputs::from_bytes(&bytes, &path.display().to_string())?)
}
