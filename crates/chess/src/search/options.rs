//! Options of searches: a search declares each with name, type, range and default; UCI, command lines and recipes set them.

use std::{collections::BTreeMap, fmt};

/// A value of the type that the option's declaration names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// The value of an option of [`TunableKind::Float`].
    Float(f32),
    /// The value of an option of [`TunableKind::Integer`].
    Integer(u64),
    /// The value of an option of [`TunableKind::Flag`].
    Flag(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Float(value) => write!(formatter, "{value}"),
            Self::Integer(value) => write!(formatter, "{value}"),
            Self::Flag(value) => write!(formatter, "{value}"),
        }
    }
}

/// Type, default and range of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub enum TunableKind {
    /// A real number within bounds, both included.
    Float { default: f32, min: f32, max: f32 },
    /// A whole number within bounds, both included.
    Integer { default: u64, min: u64, max: u64 },
    /// A switch, on or off.
    Flag { default: bool },
}

/// The declaration of an option: the one place for its name, default, range and meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tunable {
    /// The name, in its UCI spelling.
    pub name: &'static str,
    /// Effect of the option and source of its default.
    pub help: &'static str,
    /// Type, default and range.
    pub kind: TunableKind,
}

/// An option was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum OptionError {
    #[error(
        "unknown search option {found:?}; similar ones are {similar} (`tabiya uci`, then `uci`, lists all)"
    )]
    Unknown {
        found: String,
        /// The nearest names, separated by commas.
        similar: String,
    },
    /// The text is not a value of the option's type and range.
    #[error("search option {name}: found {found:?}, expected {expected}")]
    Value { name: &'static str, found: String, expected: String },
}

impl Tunable {
    /// The value of an option that the user has not set.
    pub fn default_value(&self) -> Value {
        match self.kind {
            TunableKind::Float { default, .. } => Value::Float(default),
            TunableKind::Integer { default, .. } => Value::Integer(default),
            TunableKind::Flag { default } => Value::Flag(default),
        }
    }

    /// Reads a value as UCI, a command line or a recipe gives it.
    ///
    /// # Errors
    /// [`OptionError::Value`] when the text is not of the option's type or out of its range.
    pub fn parse(&self, text: &str) -> Result<Value, OptionError> {
        let word = text.trim();
        let value = match self.kind {
            TunableKind::Float { min, max, .. } => {
                word.parse().ok().filter(|value| (min..=max).contains(value)).map(Value::Float)
            }
            TunableKind::Integer { min, max, .. } => {
                word.parse().ok().filter(|value| (min..=max).contains(value)).map(Value::Integer)
            }
            TunableKind::Flag { .. } => match word.to_ascii_lowercase().as_str() {
                "true" | "on" | "1" => Some(Value::Flag(true)),
                "false" | "off" | "0" => Some(Value::Flag(false)),
                _ => None,
            },
        };
        value.ok_or_else(|| OptionError::Value {
            name: self.name,
            found: text.to_owned(),
            expected: self.expected(),
        })
    }

    /// The accepted values, for error messages.
    pub fn expected(&self) -> String {
        match self.kind {
            TunableKind::Float { min, max, .. } => format!("a number from {min} to {max}"),
            TunableKind::Integer { min, max, .. } => format!("a whole number from {min} to {max}"),
            TunableKind::Flag { .. } => "true or false".to_owned(),
        }
    }

    /// True if this is the option's name. Capitals, spaces, hyphens and underscores do not matter, so that `Move Overhead`,
    /// `MoveOverhead` and `move_overhead` are the same.
    pub fn is_named(&self, name: &str) -> bool {
        letters(self.name) == letters(name)
    }
}

/// The part of an option's name that matters.
fn letters(name: &str) -> String {
    let kept = name.chars().filter(|letter| !matches!(letter, ' ' | '_' | '-'));
    kept.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The options of a search: those set, by name. All others have their default, so equal options compare equal however they
/// were set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchOptions(BTreeMap<&'static str, Value>);

impl SearchOptions {
    /// The value that was set, or the default.
    pub fn get(&self, tunable: &Tunable) -> Value {
        self.0.get(tunable.name).copied().unwrap_or_else(|| tunable.default_value())
    }

    /// Sets an option to a value of its type.
    pub fn set(&mut self, tunable: &Tunable, value: Value) {
        if value == tunable.default_value() {
            self.0.remove(tunable.name);
        } else {
            self.0.insert(tunable.name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Tunable =
        Tunable { name: "Tree Size", help: "", kind: TunableKind::Integer { default: 4, min: 1, max: 9 } };

    #[test]
    fn both_ends_of_a_range_are_read_and_nothing_beyond() {
        let speed = Tunable {
            name: "Speed",
            help: "",
            kind: TunableKind::Float { default: 1.0, min: 0.5, max: 2.0 },
        };
        let reuse = Tunable { name: "Reuse", help: "", kind: TunableKind::Flag { default: true } };
        for (tunable, text, value) in [
            (&SIZE, "1", Value::Integer(1)),
            (&SIZE, " 9 ", Value::Integer(9)),
            (&speed, "0.5", Value::Float(0.5)),
            (&speed, "2", Value::Float(2.0)),
            (&reuse, "ON", Value::Flag(true)),
            (&reuse, "0", Value::Flag(false)),
        ] {
            assert_eq!(tunable.parse(text), Ok(value));
        }
        for (tunable, text) in
            [(&SIZE, "0"), (&SIZE, "10"), (&SIZE, "1.5"), (&speed, "NaN"), (&speed, "2.01"), (&reuse, "2")]
        {
            let error = tunable.parse(text).unwrap_err().to_string();
            assert!(error.contains(tunable.name) && error.contains(&tunable.expected()), "{error}");
        }
    }

    #[test]
    fn an_option_set_to_its_default_is_an_option_not_set() {
        let mut options = SearchOptions::default();
        options.set(&SIZE, Value::Integer(7));
        assert_eq!(options.get(&SIZE), Value::Integer(7));
        options.set(&SIZE, Value::Integer(4));
        assert_eq!((options.get(&SIZE), options), (Value::Integer(4), SearchOptions::default()));
        assert!(SIZE.is_named("tree_size") && SIZE.is_named("TreeSize") && !SIZE.is_named("tree"));
    }
}
