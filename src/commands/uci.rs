//! `tabiya uci`: the UCI engine. Nothing but UCI goes to stdout.
//!
//! Three kinds of threads: one reads stdin (`input`), one searches (`worker`), and the main one (`session`) gets the events
//! of both through one channel and is the only one that writes, so that messages never mix and `stop` is never waited for.

mod event;
mod input;
mod inspect;
mod options;
mod perft;
mod running;
mod session;
mod worker;

use std::process::ExitCode;

use self::{options::Settings, session::Session};
use crate::engine::{EngineArguments, levels};

/// Run as a UCI engine
///
/// Example: `tabiya uci --net runs/first/network.tabiya --option Hash=512`. Without a subcommand and with stdin not a terminal,
/// `tabiya` runs as a UCI engine with the bundled network.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    engine: EngineArguments,
    /// Search: puct, policy, value, mcts, policy-rollouts or alpha-beta
    #[arg(long, value_name = "NAME", default_value = search::SEARCHES[0].name, value_parser = search::search_kind)]
    search: &'static search::SearchKind,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let evaluator = arguments.engine.open()?;
    let settings = Settings::new(&arguments.engine, levels(&arguments.engine.net)?)?;
    let setup = arguments.engine.search_setup()?;
    let computation = arguments.engine.computation();
    let mut session =
        Session::new(std::io::stdout(), settings, evaluator, computation, arguments.search).with_files(setup);
    input::spawn(std::io::stdin(), session.sender());
    session.run()?;
    Ok(ExitCode::SUCCESS)
}
