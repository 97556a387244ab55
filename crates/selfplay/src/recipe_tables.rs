//! The tables of recipes that self-play and REINFORCE read. Their parts are read one by one, which loses the line numbers of the
//! text, so an unknown table is reported here first, with its line.

use serde::{Deserialize, de::IgnoredAny};

/// Every key at the top of a recipe of this crate.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Tables {
    title: IgnoredAny,
    purpose: IgnoredAny,
    data: IgnoredAny,
    training: IgnoredAny,
    network: IgnoredAny,
    losses: IgnoredAny,
    optimiser: IgnoredAny,
    schedule: IgnoredAny,
    search: IgnoredAny,
    evaluation: IgnoredAny,
    published: IgnoredAny,
    start: IgnoredAny,
    play: IgnoredAny,
    replay: IgnoredAny,
    gate: IgnoredAny,
    supervised: IgnoredAny,
    reinforce: IgnoredAny,
}

/// Refuses text that is not TOML, or that has a key that no recipe has, with its line.
pub(crate) fn check(text: &str) -> Result<(), toml::de::Error> {
    toml::from_str::<Tables>(text).map(drop)
}
