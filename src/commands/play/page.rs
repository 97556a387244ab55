//! The board in the browser: starts the server with the networks and the folders of this program.

use std::{
    io::Write as _,
    net::SocketAddr,
    process::{Command, ExitCode, Stdio},
    sync::Arc,
};

use anyhow::Context as _;
use terminal::on_interrupt;
use web::{CatalogFolders, NetworkCatalog, Server, ServerConfig, ServerError};

use super::Arguments;

/// Serves the page until Ctrl-C.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let folders = CatalogFolders { runs: arguments.runs.clone(), nets: arguments.nets.clone() };
    let engine = &arguments.engine;
    let setup = engine.search_setup(None)?;
    let tables = setup.tables.clone();
    let catalog = NetworkCatalog::open(&engine.net, engine.precision, setup, folders)?;
    let config = ServerConfig {
        address: SocketAddr::new(arguments.host, arguments.port),
        allowed_hosts: arguments.allow_host.clone(),
        games: arguments.games.clone(),
        runs: arguments.runs.clone(),
        results: arguments.results.clone(),
        personal: arguments.personal.clone(),
        data: arguments.data.clone(),
        openings: arguments.openings.clone(),
        tables,
        version: env!("CARGO_PKG_VERSION").into(),
        slowest_request: web::SLOWEST_REQUEST,
    };
    let server = Server::bind(config, Arc::new(catalog)).map_err(|error| {
        let advice = match &error {
            ServerError::Listen { .. } => {
                format!("choose another port than {} with --port, or any with --port 0", arguments.port)
            }
            ServerError::Folder { .. } | ServerError::Reviews(_) => {
                "choose another folder of games with --games".into()
            }
            ServerError::Failed(_) => "cannot start".into(),
        };
        anyhow::Error::new(error).context(advice)
    })?;
    let address = server.address();
    // 0.0.0.0 means every address of this machine and is not one that a browser on it should open.
    let link = if address.ip().is_unspecified() {
        format!("http://127.0.0.1:{}/", address.port())
    } else {
        format!("http://{address}/")
    };
    say(&format!("Tabiya is at {link} (Ctrl-C stops it; games are saved in {})", arguments.games.display()))?;
    if !address.ip().is_loopback() {
        say("Anyone who can reach this machine can play and read your games: there is no password.")?;
    }
    let handle = server.handle();
    on_interrupt(move || handle.stop())?;
    if arguments.open {
        open_browser(&link)?;
    }
    server.run()?;
    Ok(ExitCode::SUCCESS)
}

fn say(line: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "{line}").and_then(|()| out.flush()).context("cannot write to the terminal")
}

/// Opens the page in the default browser. If there is none, this is reported and the server runs anyway.
fn open_browser(link: &str) -> anyhow::Result<()> {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start"]),
        _ => ("xdg-open", &[]),
    };
    let started = Command::new(program)
        .args(arguments)
        .arg(link)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match started {
        Ok(_) => Ok(()),
        Err(error) => {
            say(&format!("No browser could be opened ({program}: {error}); open the address yourself."))
        }
    }
}
