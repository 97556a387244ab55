use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;

use crate::commands::file_kinds::NNUE;

/// Write the network inside Stockfish to a file, as a teacher for `tabiya data label`.
///
/// Uses the engine's command `export_net`. Only the architecture of Stockfish 15.1, the version in Debian 12, is supported; others
/// are refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya net extract stockfish stockfish.nnue
  tabiya data label taught.store games.pgn.zst --engine net=stockfish.nnue,search=policy")]
pub(super) struct Arguments {
    /// The engine: a command, or a path
    engine: String,
    /// File to write: .nnue; its folder is created if needed
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { engine, output, force } = arguments;
    NNUE.check(output, &[engine.into()], Some(*force))?;
    let folder = output.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // The engine replaces whatever has the name that it is given, so it gets one in a new folder; the checked bytes then go to OUTPUT
    // like those of any other command.
    let scratch = tempfile::tempdir_in(folder);
    let scratch = scratch.with_context(|| format!("cannot make a folder in {}", folder.display()))?;
    // Below the folder as it was given: its full path may contain spaces.
    let exported = folder.join(scratch.path().file_name().unwrap_or_default()).join("exported");
    let bytes = player::extract_nnue(engine, &exported)?;
    network::write_file(output, &bytes)?;
    writeln!(std::io::stdout(), "{}: {:.1} MB", output.display(), bytes.len() as f64 / 1e6)?;
    Ok(ExitCode::SUCCESS)
}
