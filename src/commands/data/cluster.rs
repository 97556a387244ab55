#[cfg(feature = "cluster")]
mod processes;

use std::{
    net::{Ipv4Addr, SocketAddr},
    num::{NonZeroU32, NonZeroUsize},
    path::PathBuf,
    process::ExitCode,
};

/// Message of a program without the feature.
#[cfg(not(feature = "cluster"))]
pub(super) const MISSING: &str = "this program was built without clusters; `cargo build --release --features cluster` makes one that has them";

/// Start the processes of a cluster for `tabiya data sql --cluster`: one scheduler, and an executor on each machine.
///
/// Only for trusted networks: anyone who can reach its ports can read everything that its executors can read.
/// Stores are in a bucket, with its keys in the environment of each process, or under the same path on every machine. All programs
/// of a cluster have the same version. For programs built with `--features cluster`.
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:
  tabiya data cluster scheduler --listen 192.168.1.7:50050
  tabiya data cluster executor 192.168.1.7:50050 --listen 192.168.1.8:50051 --memory 8000
  tabiya data sql --cluster 192.168.1.7:50050 --query duplicates s3://chess/masters"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    process: Process,
}

#[derive(Debug, clap::Subcommand)]
enum Process {
    Scheduler(SchedulerArguments),
    Executor(ExecutorArguments),
}

/// Accept queries and distribute their tasks to executors, until interrupted.
#[derive(Debug, clap::Args)]
struct SchedulerArguments {
    /// Address for executors and clients; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = local(50_050))]
    listen: SocketAddr,
    /// Time that an executor may be silent before others repeat its tasks
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(8..))]
    patience: u32,
}

/// Run tasks of queries, until interrupted.
#[derive(Debug, clap::Args)]
struct ExecutorArguments {
    /// Address of the scheduler
    #[arg(value_name = "HOST:PORT")]
    scheduler: String,
    /// Address from which other executors and clients fetch rows; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = local(50_051))]
    listen: SocketAddr,
    /// Host name under which others reach it [default: the address from which it reaches the scheduler]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Threads [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Memory for groups, sorts and joins of all threads; groups and sorts that need more use files in its folder
    #[arg(long, value_name = "MIB", default_value = "1000")]
    memory: NonZeroU32,
    /// Folder for rows in transit [default: the folder for temporary files, TMPDIR]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// An address that only this machine can reach.
fn local(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

#[cfg(feature = "cluster")]
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.process {
        Process::Scheduler(arguments) => processes::schedule(arguments),
        Process::Executor(arguments) => processes::execute(arguments),
    }
}

/// Reports the missing feature.
#[cfg(not(feature = "cluster"))]
pub(super) fn run(_: &Arguments) -> anyhow::Result<ExitCode> {
    anyhow::bail!(MISSING)
}
