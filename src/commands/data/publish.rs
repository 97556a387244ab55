use std::{io::Write as _, path::PathBuf, process::ExitCode};

use dataset::Store;
use indicatif::HumanBytes;
use terminal::progress_bar;

/// Copy a store into a bucket of S3-compatible storage, and compare the copy with the store's hashes.
///
/// Training and `tabiya data stats|show|verify` read it there by its address. Keys and endpoints come from the environment, under
/// the names of the AWS tools (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT). For programs built with
/// `--features s3`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya data publish stores/masters s3://chess/masters")]
pub(crate) struct Arguments {
    /// A directory made by `tabiya data build`
    store: PathBuf,
    /// Address of the copy: s3://BUCKET/PREFIX
    address: String,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let store = Store::open(&arguments.store)?;
    let files = store.manifest().train.iter().chain(&store.manifest().validation);
    let all = files.map(|file| file.bytes).sum();
    let bar = progress_bar(Some(all), "{percent:>3} %  {bytes}, {bytes_per_sec}, {eta} left");
    let bytes =
        dataset::store::publish(&arguments.store, &arguments.address, |bytes| bar.set_position(bytes))?;
    bar.finish_and_clear();
    writeln!(std::io::stdout(), "{}: {} are as they were written", arguments.address, HumanBytes(bytes))?;
    Ok(ExitCode::SUCCESS)
}
