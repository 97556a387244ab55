//! `tabiya book`: making and reading opening books.

mod build;
mod show;

use std::process::ExitCode;

/// Make and read opening books in Polyglot's format.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Build(build::Arguments),
    Show(show::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Build(arguments) => build::run(arguments),
        Command::Show(arguments) => show::run(arguments),
    }
}
