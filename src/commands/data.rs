//! `tabiya data`: generating and collecting games; building, labelling and inspecting sample stores.

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

#[derive(Debug, clap::Subcommand)]
enum Command {
    Build(Box<build::Arguments>),
    Label(Box<label::Arguments>),
    Merge(merge::Arguments),
    Generate(Box<generate::Arguments>),
    Personal(personal::Arguments),
    Stats(stats::Arguments),
    FitWdl(fit_wdl::Arguments),
    Show(show::Arguments),
    #[command(hide = !cfg!(feature = "sql"))]
    Sql(sql::Arguments),
    #[command(hide = !cfg!(feature = "cluster"))]
    Cluster(cluster::Arguments),
    Verify(verify::Arguments),
    Publish(publish::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Build(arguments) => build::run(arguments),
        Command::Label(arguments) => label::run(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Generate(arguments) => generate::run(arguments),
        Command::Personal(arguments) => personal::run(arguments),
        Command::Stats(arguments) => stats::run(arguments),
        Command::FitWdl(arguments) => fit_wdl::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Sql(arguments) => sql::run(arguments),
        Command::Cluster(arguments) => cluster::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Publish(arguments) => publish::run(arguments),
    }
}
