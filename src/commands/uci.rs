//! `tabiya uci`: the UCI engine. Nothing but UCI goes to stdout.

use std::process::ExitCode;

use player::uci::UciEngine;

use crate::commands::engine_arguments::{EngineArguments, search_help};

/// Run as a UCI engine
///
/// Examples: `tabiya uci --net runs/first/network.tabiya --option Hash=512`; `tabiya uci --net mlx`, a reproduced system with the
/// search, limits and options of its recipe, which --search and --option override. Without a subcommand, if stdin is not a terminal,
/// `tabiya` runs as a UCI engine with the bundled network.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    engine: EngineArguments,
    #[arg(long, value_name = "NAME", help = search_help(), value_parser = search::search_kind)]
    search: Option<&'static search::SearchKind>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { engine, search } = arguments;
    UciEngine::open(&engine.net, engine.precision, *search, &engine.options)?
        .run(std::io::stdin(), std::io::stdout())?;
    Ok(ExitCode::SUCCESS)
}
