//! Searches on an evaluator: a network, or a baseline without a file.

use chess::DEFAULT_NODES;
use network::Provenance;

use super::{PlayerForm, PlayerKind, help_row};
use crate::{
    bundled::{BUNDLED, bundled},
    error::OpenError,
    evaluators::{EVALUATORS, network_hash, provenance_of},
    mean::members,
    rating::NETWORK_HASH,
    specification::PlayerSpecification,
};

/// A bundled network by its name alone.
pub(super) const BUNDLED_FORM: PlayerForm = PlayerForm {
    help: || BUNDLED.iter().map(|network| help_row(network.name, network.help)).collect(),
    parse: |text| bundled(text).map(|_| Ok(PlayerSpecification::new(&NETWORK, text))),
};

/// An evaluator by its name, as in `--net`.
pub(super) const FORM: PlayerForm = PlayerForm {
    help,
    parse: |text| {
        let net = text.strip_prefix("net=").filter(|net| !net.is_empty())?;
        Some(Ok(PlayerSpecification::new(&NETWORK, net)))
    },
};

/// The subject is the name of the evaluator.
pub(crate) static NETWORK: PlayerKind = PlayerKind {
    plural: "networks",
    complete: |player| {
        if !player.is_limited() {
            player.pace.nodes = Some(DEFAULT_NODES);
        }
        Ok(())
    },
    contestant: |player| Ok(player.network()?.contestant(player.name.clone(), |_| ())),
    identity,
    net: |player| Some(&player.subject),
    process: |_| None,
};

fn help() -> Vec<(String, String)> {
    let judge = "a search whose positions a UCI engine judges; keys as below, with colons";
    let files = [
        ("net=PATH", "a network: ours, lc0's, or what Stockfish 15.1 writes on export_net"),
        ("net=PATH+PATH", "the mean of two networks"),
        ("net=uci:COMMAND:nodes=N", judge),
    ];
    let without_file = EVALUATORS.iter().map(|evaluator| {
        (format!("net={}", evaluator.name), format!("a search without a network: {}", evaluator.help))
    });
    files.iter().map(|(form, help)| help_row(form, help)).chain(without_file).collect()
}

/// Its search; hash, run, commit and data of each network. A network that can no longer be read is recorded as such: results of
/// hours must not be lost because of it.
fn identity(player: &PlayerSpecification) -> Vec<(&'static str, String)> {
    let mut facts = vec![("search", player.search.name.to_owned())];
    for net in members(&player.subject) {
        match network_origin(net) {
            Ok(Some((hash, origin))) => facts.extend([
                (NETWORK_HASH, hash),
                ("imported from", origin.source.map(|source| source.file).unwrap_or_default()),
                ("recipe", origin.name),
                ("trained by commit", origin.commit),
                ("training data", origin.data),
                ("training steps", origin.steps.to_string()),
            ]),
            Ok(None) => {}
            Err(error) => facts.push(("network", error.to_string())),
        }
    }
    facts
}

/// Hash and provenance of a network; `None` for evaluators without one.
fn network_origin(net: &str) -> Result<Option<(String, Provenance)>, OpenError> {
    let Some(hash) = network_hash(net)? else { return Ok(None) };
    Ok(Some((hash, provenance_of(net)?)))
}
