//! `tabiya data`: generating games; building, labelling and inspecting sample stores.

mod build;
mod cluster;
mod fit_wdl;
mod generate;
mod label;
mod merge;
pub(crate) mod personal;
mod publish;
mod show;
mod sql;
mod stats;
mod verify;

use std::process::ExitCode;

/// Generate games; build, label and inspect sample stores.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

subcommands! {
    Build => build,
    Label => label,
    Merge => merge,
    Generate => generate,
    Personal => personal,
    Stats => stats,
    FitWdl => fit_wdl,
    Show => show,
    #[command(hide = !cfg!(feature = "sql"))]
    Sql => sql,
    #[command(hide = !cfg!(feature = "cluster"))]
    Cluster => cluster,
    Verify => verify,
    Publish => publish,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    arguments.command.run()
}
