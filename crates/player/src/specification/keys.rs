//! The keys of a player's specification after its beginning, one entry each.

use std::time::Duration;

use network::{PRECISIONS, Precision};
use search::{SEARCHES, search_kind};

use super::{PlayerSpecification, Result};
use crate::{
    error::SpecificationError,
    kinds::{ENGINE, NETWORK, PlayerKind},
};

/// A part of a specification after its beginning.
pub(super) struct Key {
    /// The key, up to a point or the equals sign.
    pub(super) word: &'static str,
    /// As it is typed: `KEY=VALUE`.
    pub(super) form: &'static str,
    pub(super) help: &'static str,
    /// The only kind of player that has it; `None` if every kind may have it.
    pub(super) of: Option<&'static PlayerKind>,
    /// The allowed values, if there is a list of them.
    pub(super) values: fn() -> Vec<&'static str>,
    /// Takes the text after the point, and the value.
    pub(super) set: fn(&mut PlayerSpecification, &str, &str) -> Result<()>,
}

/// A key with any value.
const ANY: fn() -> Vec<&'static str> = Vec::new;

pub(super) const KEYS: &[Key] = &[
    Key {
        word: "nodes",
        form: "nodes=N",
        help: "nodes a move",
        of: None,
        values: ANY,
        set: |player, _, value| {
            player.pace.nodes = Some(positive("nodes", value)?);
            Ok(())
        },
    },
    Key {
        word: "depth",
        form: "depth=N",
        help: "depth a move",
        of: None,
        values: ANY,
        set: |player, _, value| {
            let depth = u32::try_from(positive("depth", value)?);
            player.pace.depth = Some(depth.map_err(|_| refused("depth", value, "at most 4294967295"))?);
            Ok(())
        },
    },
    Key {
        word: "movetime",
        form: "movetime=MS",
        help: "milliseconds a move",
        of: None,
        values: ANY,
        set: |player, _, value| {
            player.pace.move_time = Some(Duration::from_millis(positive("movetime", value)?));
            Ok(())
        },
    },
    Key {
        word: "tc",
        form: "tc=[MOVES/]SECONDS[+INCREMENT]",
        help: "a clock for the game",
        of: None,
        values: ANY,
        set: |player, _, value| {
            player.pace.clock = Some(value.parse()?);
            Ok(())
        },
    },
    Key {
        word: "search",
        form: "search=NAME",
        help: "how a network chooses",
        of: Some(&NETWORK),
        values: || SEARCHES.iter().map(|kind| kind.name).collect(),
        set: |player, _, value| {
            player.search = search_kind(value)?;
            Ok(())
        },
    },
    Key {
        word: "option",
        form: "option.NAME=VALUE",
        help: "an option of the engine or the search",
        of: None,
        values: ANY,
        set: |player, name, value| {
            player.options.push((name.into(), value.into()));
            Ok(())
        },
    },
    Key {
        word: "precision",
        form: "precision=NAME",
        help: "number format of a network",
        of: Some(&NETWORK),
        values: || PRECISIONS.iter().map(|precision| precision.name()).collect(),
        set: |player, _, value| {
            let read = value.parse::<Precision>();
            player.precision = Some(read.map_err(|error| SpecificationError::Precision(error.to_string()))?);
            Ok(())
        },
    },
    Key {
        word: "arg",
        form: "arg=TEXT",
        help: "an argument of the engine's command; may be repeated",
        of: Some(&ENGINE),
        values: ANY,
        set: |player, _, value| {
            player.arguments.push(value.into());
            Ok(())
        },
    },
    Key {
        word: "name",
        form: "name=NAME",
        help: "the name in tables and game records",
        of: None,
        values: ANY,
        set: |player, _, value| {
            player.name = value.into();
            Ok(())
        },
    },
];

/// The key that may be repeated.
pub(super) const ARGUMENT: &str = "arg";

/// The keys of [`KEYS`] that limit a move.
pub(super) const LIMITS: [&str; 4] = ["nodes", "depth", "movetime", "tc"];

pub(super) fn known_keys() -> String {
    KEYS.iter().map(|key| key.form).collect::<Vec<_>>().join(", ")
}

fn positive(key: &str, value: &str) -> Result<u64> {
    match value.parse() {
        Ok(0) => Err(refused(key, value, "at least 1")),
        Ok(number) => Ok(number),
        Err(_) => Err(refused(key, value, "a whole number")),
    }
}

fn refused(key: &str, value: &str, expected: &'static str) -> SpecificationError {
    SpecificationError::Number { key: key.into(), found: value.into(), expected }
}
