use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use chess::{
    diagram::svg,
    encoding::{InputEncoding, input::input_encoding, picture::picture},
};
use network::onnx::OnnxNetwork;
use player::{network_files, read_weights};

use super::{PositionArguments, write_drawing};
use crate::commands::file_kinds::SVG;

/// Draw a network's input planes for a position, as boards with their names.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya net planes knights-6-10
  tabiya net planes mine.onnx
  tabiya net planes cnn --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1'
  tabiya net planes lc0-112 --moves e2e4 e7e5 g1f3 --svg planes.svg")]
pub(super) struct Arguments {
    /// An input encoding by name, or a network: a weights file, an ONNX file, a bundled network or a reproduced system
    network: String,
    #[command(flatten)]
    position: PositionArguments,
    /// Draw to this file instead of the terminal
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "svg")]
    force: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(file) = &arguments.svg {
        SVG.check(file, &network_files(&arguments.network), Some(arguments.force))?;
    }
    let (game, encoding) = (arguments.position.game()?, encoding(&arguments.network)?);
    match &arguments.svg {
        Some(file) => write_drawing(file, &svg::planes(encoding, &game))?,
        None => write!(std::io::stdout(), "{}", picture(encoding, &game))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The encoding of this name, or the input of the network of this name.
fn encoding(name: &str) -> anyhow::Result<&'static dyn InputEncoding> {
    let unknown = match input_encoding(name) {
        Ok(encoding) => return Ok(encoding),
        Err(unknown) => unknown,
    };
    if player::bundled(name).is_none() && !Path::new(name).exists() {
        return Err(unknown).context(format!("{name}: neither a network nor an input encoding"));
    }
    if OnnxNetwork::is_one(Path::new(name)) {
        let network = OnnxNetwork::read(Path::new(name))?;
        return network.input().with_context(|| {
            format!("{name}: found the contract {}, expected an input of planes", network.contract())
        });
    }
    Ok(read_weights(name)?.spec.input_encoding()?)
}
