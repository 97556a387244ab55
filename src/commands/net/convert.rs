use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, ensure};
use network::{NetworkError, Weights, onnx};
use player::{network_files, read_weights};

use crate::commands::{engine_arguments::named_weights, file_kinds::TABIYA_OR_ONNX};

/// The extension of Tabiya's own weights files.
const TABIYA: &str = "tabiya";

/// The formats in which a network can be written, by file extension.
const FORMATS: [(&str, Writer); 2] = [(TABIYA, Weights::to_bytes), ("onnx", onnx::to_bytes)];

type Writer = fn(&Weights) -> Result<Vec<u8>, NetworkError>;

/// Convert a network to .tabiya (lossless, or in eight bits) or ONNX.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya net convert maia-1900.pb.gz maia-1900.tabiya
  tabiya net convert cnn cnn.onnx
  tabiya net convert runs/aichess/network.tabiya aichess.tabiya --eight-bit")]
pub(super) struct Arguments {
    #[arg(help = named_weights())]
    network: String,
    /// File to write; the extension selects the format: .tabiya or .onnx
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Keep weights as eight-bit integers, with one step for each row: a quarter of the size, for play
    #[arg(long)]
    eight_bit: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { network, output, force, eight_bit } = arguments;
    TABIYA_OR_ONNX.check(output, &network_files(network), Some(*force))?;
    let ending = output.extension().and_then(|ending| ending.to_str());
    let (_, to_bytes) =
        FORMATS.iter().find(|(name, _)| Some(*name) == ending).context("an ending that was just checked")?;
    let weights = read_weights(network)?;
    let bytes = if *eight_bit {
        ensure!(ending == Some(TABIYA), "{}: --eight-bit writes .{TABIYA} files only", output.display());
        weights.to_eight_bit_bytes()?
    } else {
        to_bytes(&weights)?
    };
    network::write_file(output, &bytes)?;
    let (name, shape) = (&weights.provenance.name, weights.spec.shape_name());
    let size = bytes.len() as f64 / 1e6;
    writeln!(std::io::stdout(), "{}: {name} {shape}, {size:.1} MB", output.display())?;
    Ok(ExitCode::SUCCESS)
}
