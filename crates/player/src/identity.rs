//! The identity of a player: what is needed to reproduce it.

use std::path::Path;

use files::{Facts, Inputs, content_hash};

use strength::player::program_hash;

use crate::{
    evaluators::sources,
    rating::NETWORK_HASH,
    specification::{PlayerSpecification, Subject},
};

/// Names and values: for a network its hash, run, commit and data; for an engine the hash of its program; for
/// every player its options, and the hashes of the files named in these and in an engine's arguments. Folders
/// of tablebases are recorded by name only, because they may hold hundreds of gigabytes.
pub fn identity(player: &PlayerSpecification) -> Facts {
    let options: Vec<String> = player.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let (mut facts, arguments) = match &player.subject {
        Subject::Network(net) => {
            let search = fact("search", player.search.name);
            (std::iter::once(search).chain(evaluator_facts(net)).collect(), &[][..])
        }
        Subject::Engine { command, arguments } => {
            let words: Vec<&str> = std::iter::once(command).chain(arguments).map(String::as_str).collect();
            let facts = vec![fact("command", words.join(" ")), fact("program", program_hash(command))];
            (facts, &arguments[..])
        }
        Subject::Mover(_) => (Facts::new(), &[][..]),
    };
    facts.push(fact("options", options.join(", ")));
    facts.retain(|(_, text)| !text.is_empty());
    // Named by the whole text, or as in `--weights=FILE`.
    let named = arguments.iter().chain(player.options.iter().map(|(_, value)| value));
    let named = named.flat_map(|text| [Some(text.as_str()), text.split_once('=').map(|(_, file)| file)]);
    for file in named.flatten().filter(|text| Path::new(text).is_file()) {
        let hash =
            content_hash(Path::new(file)).map_or_else(|error| error.to_string(), Option::unwrap_or_default);
        facts.push(fact(&format!("file {file}"), hash));
    }
    facts
}

pub(crate) fn fact(name: &str, value: impl Into<String>) -> (String, String) {
    (name.into(), value.into())
}

/// Hash, run, commit and data of each network of an evaluator, or the program of an engine. A network that
/// can no longer be read is recorded as such, not an error, so that hours of results are not lost.
fn evaluator_facts(net: &str) -> Facts {
    let mut facts = Vec::new();
    for source in sources(net) {
        if let Some(engine) = source.engine() {
            facts.extend(identity(&engine));
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

/// Adds a player to the inputs of a command: its identity and its limits, which a recipe may have changed.
#[must_use]
pub fn with_player(inputs: Inputs, player: &PlayerSpecification) -> Inputs {
    let mut facts = identity(player);
    facts.push(fact("limits", player.pace.to_string()));
    inputs.with(format!("player {player}"), facts)
}

/// Adds an evaluator, named as by `--net`, to the inputs of a command.
#[must_use]
pub fn with_network(inputs: Inputs, net: &str) -> Inputs {
    inputs.with(format!("network {net}"), evaluator_facts(net))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_engines_and_options_are_told() {
        let of = |text: &str| identity(&text.parse::<PlayerSpecification>().unwrap());
        let bundled = of("default,nodes=1,option.Temperature=0.5");
        let names: Vec<&str> = bundled.iter().map(|(name, _)| name.as_str()).collect();
        for expected in ["network hash", "recipe", "trained by commit", "training data"] {
            assert!(names.contains(&expected), "{expected} is missing in {names:?}");
        }
        assert_eq!(bundled.last().unwrap().1, "Temperature=0.5");
        assert_eq!(of("random"), []);
        let both = of("net=default+human,nodes=1");
        assert_eq!(both.iter().filter(|(name, _)| name == "network hash").count(), 2);
        let folder = tempfile::tempdir().unwrap();
        let [engine, weights] =
            ["engine", "x.pb.gz"].map(|name| folder.path().join(name).display().to_string());
        let facts = || of(&format!("uci={engine},arg={weights},nodes=1"));
        assert_eq!(facts()[1].1, Inputs::GONE);
        for (file, content) in
            [(&engine, "first"), (&weights, "first"), (&engine, "second"), (&weights, "second")]
        {
            let before = facts();
            std::fs::write(file, content).unwrap();
            assert_ne!(facts(), before, "{file}");
        }
        let names: Vec<String> = facts().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["command".into(), "program".into(), format!("file {weights}")]);
        let option = of(&format!("uci={engine},arg=--weights={weights},nodes=1"));
        assert_eq!(option.last(), facts().last());
        let judge = of(&format!("net=uci:{engine}:nodes=1,nodes=1"));
        assert_eq!(judge[2], facts()[1]);
        let missing = of("net=none.tabiya,nodes=1");
        let (name, text) = &missing[1];
        assert_eq!((missing.len(), name.as_str()), (2, "network"));
        assert!(text.contains("none.tabiya") && text.contains("No such file"), "{text}");
    }
}
