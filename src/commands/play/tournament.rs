//! Engines against each other, chosen in the menu of the terminal.

use std::{io::Write as _, path::Path, process::ExitCode};

use player::{PlayerSpecification, SYSTEMS, SystemNetwork, rating};
use strength::{
    MatchSettings, OpeningBook,
    campaign::{Campaign, Entrant, Pairings, Rules},
    tournament::TournamentFormat,
};
use terminal::{MatchProgress, game::Tournament};

use crate::commands::{campaign, machine};

/// The player that a text names; otherwise the message to show.
pub(super) fn entrant(text: &str) -> Result<Entrant, String> {
    let specification: PlayerSpecification = text.parse().map_err(|error| format!("{text:?} {error}"))?;
    specification.entrant().map_err(|error| error.to_string())
}

/// The reproduced systems, a line each: name, title, and the rating if it was measured; then the form of those with a search.
pub(super) fn systems() -> Vec<String> {
    let mut lines = Vec::with_capacity(SYSTEMS.len() + 1);
    for SystemNetwork { network, .. } in SYSTEMS {
        let rated = match rating(network.name) {
            Ok(Some(rating)) => format!(", rated {rating}"),
            Ok(None) => String::new(),
            Err(error) => format!(", {error}"),
        };
        lines.push(format!("{:<18} {}{rated}", network.name, network.help));
    }
    lines.push(format!("{:<18} the network of a system with a search of this program", "NAME-search"));
    lines
}

/// Plays the games, which are added to `file`, and prints the table.
pub(super) fn run(tournament: Tournament<Entrant>, file: &Path) -> anyhow::Result<ExitCode> {
    let rules = Rules {
        openings: OpeningBook::BALANCED.into(),
        opening_plies: None,
        settings: MatchSettings { seed: super::seconds_since_epoch(), ..MatchSettings::default() },
        endgames: None,
        machine: machine::machine(),
        program: machine::program(),
    };
    let mut plan = Pairings::new(tournament.players, TournamentFormat::RoundRobin, rules, tournament.games)?;
    let mut campaign = Campaign::new(Some(file))?;
    let ended = campaign::play(&mut campaign, &mut plan, &MatchProgress::of_matches())?;
    if let Some(report) = plan.report() {
        writeln!(std::io::stdout(), "{report}\nThe games are in {}.", file.display())?;
    }
    ended.map_or(Ok(ExitCode::SUCCESS), |reason| Err(reason.into()))
}
