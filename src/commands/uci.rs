//! `tabiya uci`: the UCI engine. Nothing but UCI goes to stdout.

use std::process::ExitCode;

use player::uci::UciEngine;

use crate::commands::engine_arguments::{EngineArguments, search_help};

/// Run as a UCI engine
///
/// Example: `tabiya uci --net runs/first/network.tabiya --option Hash=512`. Without a subcommand, and if stdin is not a terminal,
/// `tabiya` runs as a UCI engine with the bundled network.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    engine: EngineArguments,
    #[arg(long, value_name = "NAME", help = search_help(), default_value = search::SEARCHES[0].name, value_parser = search::search_kind)]
    search: &'static search::SearchKind,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { engine, search } = arguments;
    let setup = engine.search_setup()?;
    UciEngine::open(&engine.net, engine.precision, search, setup)?
        .run(std::io::stdin(), std::io::stdout())?;
    Ok(ExitCode::SUCCESS)
}
