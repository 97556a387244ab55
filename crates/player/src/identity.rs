//! The identity of a player: what is needed to reproduce it.

use crate::specification::PlayerSpecification;

/// Names and values: for a network its hash, run, commit and data; for every player its options.
pub fn identity(player: &PlayerSpecification) -> Vec<(String, String)> {
    let options: Vec<String> = player.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut facts = (player.kind.identity)(player);
    facts.push(("options", options.join(", ")));
    facts.retain(|(_, text)| !text.is_empty());
    facts.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
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
