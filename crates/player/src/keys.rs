//! The text of a player after its beginning: keys with values, an entry of [`KEYS`] each.

use std::time::Duration;

use chess::DEFAULT_NODES;
use network::{PRECISIONS, Precision};
use search::{SEARCHES, search_kind};
use strength::Pace;

use crate::{
    error::SpecificationError,
    specification::{PlayerSpecification, Subject},
};

type Result<T> = std::result::Result<T, SpecificationError>;

/// A part of a specification after its beginning.
pub(crate) struct Key {
    /// Form on the command line: `KEY=VALUE`, or `KEY.NAME=VALUE`.
    pub(crate) form: &'static str,
    pub(crate) help: &'static str,
    /// The players that have it.
    of: Of,
    /// Receives the text after the point, and the value.
    set: fn(&mut PlayerSpecification, &str, &str) -> Result<()>,
    /// The allowed values, if there is a list of them.
    pub(crate) values: fn() -> Vec<&'static str>,
}

/// The players that have a key.
#[derive(Clone, Copy)]
enum Of {
    All,
    Networks,
    Engines,
}

impl Key {
    /// A key with any value.
    const fn new(
        form: &'static str,
        help: &'static str,
        of: Of,
        set: fn(&mut PlayerSpecification, &str, &str) -> Result<()>,
    ) -> Self {
        Self { form, help, of, set, values: Vec::new }
    }

    /// The key, up to a point or the equals sign.
    fn word(&self) -> &'static str {
        self.form.split(['.', '=']).next().unwrap_or_default()
    }
}

pub(crate) const KEYS: &[Key] = &[
    Key::new("nodes=N", "nodes a move", Of::All, |player, _, value| {
        player.pace.nodes = Some(positive("nodes", value)?);
        Ok(())
    }),
    Key::new("depth=N", "depth a move", Of::All, |player, _, value| {
        let depth = u32::try_from(positive("depth", value)?);
        player.pace.depth = Some(depth.map_err(|_| refused("depth", value, "at most 4294967295"))?);
        Ok(())
    }),
    Key::new("movetime=MS", "milliseconds a move", Of::All, |player, _, value| {
        player.pace.move_time = Some(Duration::from_millis(positive("movetime", value)?));
        Ok(())
    }),
    Key::new("tc=[MOVES/]SECONDS[+INCREMENT]", "a clock for the game", Of::All, |player, _, value| {
        player.pace.clock = Some(value.parse()?);
        Ok(())
    }),
    Key {
        values: || SEARCHES.iter().map(|kind| kind.name).collect(),
        ..Key::new("search=NAME", "how a network chooses", Of::Networks, |player, _, value| {
            player.search = search_kind(value)?;
            Ok(())
        })
    },
    Key::new("option.NAME=VALUE", "an option of the engine or the search", Of::All, |player, name, value| {
        player.options.push((name.into(), value.into()));
        Ok(())
    }),
    Key {
        values: || PRECISIONS.iter().map(|precision| precision.name()).collect(),
        ..Key::new("precision=NAME", "number format of a network", Of::Networks, |player, _, value| {
            let read = value.parse::<Precision>();
            player.precision = Some(read.map_err(|error| SpecificationError::Precision(error.to_string()))?);
            Ok(())
        })
    },
    Key::new(
        "arg=TEXT",
        "an argument of the engine's command; may be repeated",
        Of::Engines,
        |player, _, value| {
            if let Subject::Engine { arguments, .. } = &mut player.subject {
                arguments.push(value.into());
            }
            Ok(())
        },
    ),
    Key::new("name=NAME", "the name in tables and game records", Of::All, |player, _, value| {
        player.name = value.into();
        Ok(())
    }),
];

/// The key that may be repeated.
const ARGUMENT: &str = "arg";

/// The keys of [`KEYS`] that limit a move.
const LIMITS: [&str; 4] = ["nodes", "depth", "movetime", "tc"];

fn known_keys() -> String {
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

impl PlayerSpecification {
    /// Parses a player; `begin` parses the part before the first comma.
    pub(crate) fn read(text: &str, begin: impl FnOnce(&str) -> Result<Self>) -> Result<Self> {
        let parts = parts(text)?;
        let (first, keys) = parts.split_first().map_or(("", &[][..]), |(first, keys)| (first.as_str(), keys));
        begin(first)?.with_keys(text, keys)
    }

    /// The player with the keys after its beginning; `text` names it.
    pub(crate) fn with_keys(mut self, text: &str, parts: &[String]) -> Result<Self> {
        if self.name.is_empty() || self.name == self.text {
            self.name = text.into();
        }
        self.text = text.into();
        if parts.iter().any(|part| part.split_once('=').is_some_and(|(key, _)| LIMITS.contains(&key))) {
            // Given limits replace all limits of a recipe, not only those of the same kind: a recipe with nodes=100 that is asked to
            // play with movetime=1000 would otherwise stop at whichever comes first, which is neither.
            self.pace = Pace::default();
        }
        let mut seen = Vec::new();
        for part in parts {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| SpecificationError::NoKey { found: part.clone(), known: known_keys() })?;
            if value.is_empty() {
                return Err(SpecificationError::NoValue(key.into()));
            }
            // A repeated key is a mistake more often than a correction, and the last one would win without a word.
            if key != ARGUMENT && seen.contains(&key) {
                return Err(SpecificationError::Twice(key.into()));
            }
            seen.push(key);
            self.apply(key, value)?;
        }
        self.complete()?;
        Ok(self)
    }

    /// Adds the default limits and refuses keys that contradict each other.
    fn complete(&mut self) -> Result<()> {
        match &self.subject {
            Subject::Network(_) if !self.is_limited() => self.pace.nodes = Some(DEFAULT_NODES),
            Subject::Engine { .. } if !self.is_limited() => return Err(SpecificationError::Unlimited),
            Subject::Engine { .. } => {
                // Engines ignore a rating unless the option that limits their strength is set.
                let plays_at_full_strength = self.option("UCI_LimitStrength") != Some("true");
                if self.option("UCI_Elo").is_some() && plays_at_full_strength {
                    return Err(SpecificationError::FullStrength);
                }
            }
            Subject::Mover(_) if self.is_limited() => return Err(SpecificationError::NoLimits),
            Subject::Mover(_) if !self.options.is_empty() => return Err(SpecificationError::NoOptions),
            Subject::Network(_) | Subject::Mover(_) => {}
        }
        Ok(())
    }

    /// The first value given for an option; UCI compares names without regard to case.
    fn option(&self, wanted: &str) -> Option<&str> {
        let option = self.options.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        option.map(|(_, value)| value.as_str())
    }

    fn apply(&mut self, key: &str, value: &str) -> Result<()> {
        let (word, name) = key.split_once('.').unwrap_or((key, ""));
        let has_name = !name.is_empty();
        let known = KEYS
            .iter()
            .find(|known| known.word() == word && known.form.contains('.') == has_name)
            .ok_or_else(|| SpecificationError::UnknownKey { found: key.into(), known: known_keys() })?;
        let kinds = match (known.of, &self.subject) {
            (Of::All, _) | (Of::Networks, Subject::Network(_)) | (Of::Engines, Subject::Engine { .. }) => {
                return (known.set)(self, name, value);
            }
            (Of::Networks, _) => "networks",
            (Of::Engines, _) => "UCI engines",
        };
        Err(SpecificationError::WrongKind { key: known.word(), kinds })
    }
}

/// The parts between commas. A value in quotes may contain commas, and a quote in it is written twice, as in CSV; the quotes are removed.
fn parts(text: &str) -> Result<Vec<String>> {
    // An unquoted part is copied as it is, a quoted one piece by piece up to the quote that no other quote follows. Only a comma or the
    // end may come after that one: `name="A"B` is a forgotten comma, not the name AB.
    let (mut parts, mut rest) = (Vec::new(), Some(text));
    while let Some(from) = rest {
        let end = from.find(',').unwrap_or(from.len());
        let value = from[..end].find('=').map(|equals| equals + 1);
        let Some(value) = value.filter(|&value| from[value..].starts_with('"')) else {
            parts.push(from[..end].into());
            rest = from.get(end + 1..);
            continue;
        };
        // From here on only quotes count: a comma is text until the quote is closed.
        let mut part = from[..value].to_owned();
        let mut quoted = &from[value + 1..];
        loop {
            let close = quoted.find('"').ok_or_else(|| unclosed(text))?;
            part.push_str(&quoted[..close]);
            quoted = &quoted[close + 1..];
            match quoted.strip_prefix('"') {
                Some(after) => {
                    part.push('"');
                    quoted = after;
                }
                None => break,
            }
        }
        parts.push(part);
        rest = match quoted.strip_prefix(',') {
            None if quoted.is_empty() => None,
            None => return Err(unclosed(text)),
            after => after,
        };
    }
    Ok(parts)
}

fn unclosed(text: &str) -> SpecificationError {
    SpecificationError::Quote { found: text.into() }
}
