//! Searches on an evaluator: a network, or a baseline without a file.

use chess::DEFAULT_NODES;
use files::Facts;

use super::{PlayerForm, PlayerKind, help_row};
use crate::{
    bundled::BUNDLED,
    evaluators::{EVALUATORS, sources},
    identity::{self, fact},
    rating::NETWORK_HASH,
    specification::PlayerSpecification,
};

/// A bundled network by its name alone.
pub(super) const BUNDLED_FORM: PlayerForm = PlayerForm {
    help: || BUNDLED.iter().map(|network| help_row(network.name, network.help)).collect(),
    parse: |text| {
        let network = BUNDLED.iter().find(|network| network.name == text)?;
        Some(Ok(PlayerSpecification::new(&NETWORK, network.name)))
    },
};

/// An evaluator by its name, as in `--net`.
pub(super) const FORM: PlayerForm = PlayerForm {
    help,
    parse: |text| {
        let net = text.strip_prefix("net=").filter(|net| !net.is_empty())?;
        Some(Ok(PlayerSpecification::of_net(net, None)))
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
        (
            "net=PATH",
            "a network with the default search: ours, lc0's, or what Stockfish 15.1 writes on export_net",
        ),
        ("net=PATH+PATH", "the mean of two networks"),
        ("net=uci:COMMAND:nodes=N", judge),
    ];
    let without_file = EVALUATORS.iter().map(|evaluator| {
        (format!("net={}", evaluator.name), format!("a search without a network: {}", evaluator.help))
    });
    files.iter().map(|(form, help)| help_row(form, help)).chain(without_file).collect()
}

fn identity(player: &PlayerSpecification) -> Facts {
    let mut facts = vec![fact("search", player.search.name)];
    facts.extend(evaluator_facts(&player.subject));
    facts
}

/// Hash, run, commit and data of each network of an evaluator, or the program of an engine. A network that can no longer be read is
/// recorded as such: results of hours must not be lost because of it.
pub(crate) fn evaluator_facts(net: &str) -> Facts {
    let mut facts = Vec::new();
    for source in sources(net) {
        if let Some(engine) = source.engine() {
            facts.extend(identity::identity(&engine));
        }
        match source.origin() {
            Ok((Some(hash), origin)) => facts.extend([
                fact(NETWORK_HASH, hash),
                fact("imported from", origin.source.map(|source| source.file).unwrap_or_default()),
                fact("recipe", origin.name),
                fact("trained by commit", origin.commit),
                fact("training data", origin.data),
                fact("training steps", origin.steps.to_string()),
            ]),
            Ok((None, _)) => {}
            Err(error) => facts.push(fact("network", error.to_string())),
        }
    }
    facts
}
