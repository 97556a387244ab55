//! The identity of a player: what is needed to reproduce it.

use super::{PlayerSpecification, specification::Kind};
use crate::engine::{network_hash, read_weights};

/// Names and values: for a network its hash, run, commit and data; for every player its options. What cannot be read is
/// missing here, and an error when the player is built.
pub(crate) fn identity(player: &PlayerSpecification) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut fact = |name: &str, text: String| {
        if !text.is_empty() {
            facts.push((name.to_string(), text));
        }
    };
    match &player.kind {
        Kind::Network(net) => {
            fact("search", player.search.name.into());
            fact("network hash", network_hash(net).ok().flatten().unwrap_or_default());
            let origin = read_weights(net).ok().map(|weights| weights.provenance);
            if let Some(origin) = origin {
                let source = origin.source.map(|source| source.file).unwrap_or_default();
                fact("imported from", source);
                fact("recipe", origin.name);
                fact("trained by commit", origin.commit);
                fact("training data", origin.data);
                fact("training steps", origin.steps.to_string());
            }
        }
        Kind::Uci(command, arguments) => {
            fact("command", [&[command.clone()][..], arguments].concat().join(" "));
        }
        Kind::Random | Kind::First | Kind::Material => {}
    }
    let options: Vec<String> = player.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    fact("options", options.join(", "));
    facts
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
        let engine = of("uci=lc0,arg=-w,arg=x.pb.gz,nodes=1");
        assert_eq!(engine, [("command".to_string(), "lc0 -w x.pb.gz".to_string())]);
        assert_eq!(
            of("net=none.tabiya,nodes=1").len(),
            1,
            "the search; the file is missed when the player is built"
        );
    }
}
