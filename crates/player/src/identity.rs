//! The identity of a player: what is needed to reproduce it.

use network::Provenance;

use crate::{
    error::OpenError,
    evaluators::{network_hash, provenance_of},
    mean::members,
    specification::{PlayerKind, PlayerSpecification},
};

/// Names and values: for a network its hash, run, commit and data; for every player its options. A network that can no longer be
/// read is recorded as such: results of hours must not fail by it.
pub fn identity(player: &PlayerSpecification) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut fact = |name: &str, text: String| {
        if !text.is_empty() {
            facts.push((name.to_string(), text));
        }
    };
    match &player.kind {
        PlayerKind::Network(net) => {
            fact("search", player.search.name.into());
            for one in members(net) {
                match network_origin(one) {
                    Ok(Some((hash, origin))) => {
                        fact("network hash", hash);
                        fact("imported from", origin.source.map(|source| source.file).unwrap_or_default());
                        fact("recipe", origin.name);
                        fact("trained by commit", origin.commit);
                        fact("training data", origin.data);
                        fact("training steps", origin.steps.to_string());
                    }
                    Ok(None) => {}
                    Err(error) => fact("network", error.to_string()),
                }
            }
        }
        PlayerKind::Uci(command, arguments) => {
            fact("command", [&[command.clone()][..], arguments].concat().join(" "));
        }
        PlayerKind::Mover(_) => {}
    }
    let options: Vec<String> = player.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    fact("options", options.join(", "));
    facts
}

/// Hash and provenance of a network; `None` for evaluators without one.
fn network_origin(net: &str) -> Result<Option<(String, Provenance)>, OpenError> {
    let Some(hash) = network_hash(net)? else { return Ok(None) };
    Ok(Some((hash, provenance_of(net)?)))
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
        let engine = of("uci=lc0,arg=-w,arg=x.pb.gz,nodes=1");
        assert_eq!(engine, [("command".to_string(), "lc0 -w x.pb.gz".to_string())]);
        let missing = of("net=none.tabiya,nodes=1");
        let (name, text) = &missing[1];
        assert_eq!((missing.len(), name.as_str()), (2, "network"));
        assert!(text.contains("none.tabiya") && text.contains("No such file"), "{text}");
    }
}
