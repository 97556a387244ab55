//! Engine options: declarations, and the values they allow.

use std::fmt;

use crate::{
    error::UciError,
    tokens::{Tokens, one_line, single_spaced},
};

/// UCI's notation for an empty string.
const EMPTY: &str = "<empty>";

/// An `option` line of an engine's handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDeclaration {
    /// The name; not case-sensitive.
    pub name: String,
    /// Type, with default and range.
    pub kind: OptionKind,
}

/// Type of an option, with its default and the values it allows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// Value until the option is set.
        default: bool,
    },
    /// A whole number in a range.
    Spin {
        /// Value until the option is set.
        default: i64,
        min: i64,
        max: i64,
    },
    /// One of a list of words.
    Combo {
        /// Value until the option is set.
        default: String,
        /// Values of the combo box, in the order declared.
        choices: Vec<String>,
    },
    /// An action without a value.
    Button,
    Text {
        /// Value until the option is set.
        default: String,
    },
}

/// A value that the option's declaration allows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum OptionValue {
    Check(bool),
    Spin(i64),
    /// Value of a combo, in the spelling of the declaration.
    Combo(String),
    /// An action without a value.
    Button,
    /// Value of a string; empty for `<empty>`.
    Text(String),
}

/// A value that the option's declaration does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("option {name}: expected {expected}, found {found:?}")]
#[allow(missing_docs, reason = "the message says what the fields hold")]
pub struct OptionError {
    pub name: String,
    pub expected: String,
    pub found: String,
}

impl OptionDeclaration {
    /// True if `name` is this option's name, ignoring case and white space.
    pub fn is_named(&self, name: &str) -> bool {
        single_spaced(&self.name).eq_ignore_ascii_case(&single_spaced(name))
    }

    /// Checks the value of a `setoption`; `None` if it had no `value`.
    ///
    /// # Errors
    /// [`OptionError`] with the values that the option allows.
    pub fn check(&self, value: Option<&str>) -> Result<OptionValue, OptionError> {
        let found = value.unwrap_or_default().trim();
        match &self.kind {
            OptionKind::Check { .. } => match found.to_ascii_lowercase().as_str() {
                "true" => Ok(OptionValue::Check(true)),
                "false" => Ok(OptionValue::Check(false)),
                _ => Err(self.refusal("true or false".into(), found)),
            },
            OptionKind::Spin { min, max, .. } => match found.parse() {
                Ok(number) if (*min..=*max).contains(&number) => Ok(OptionValue::Spin(number)),
                _ => Err(self.refusal(format!("a whole number from {min} to {max}"), found)),
            },
            OptionKind::Combo { choices, .. } => choices
                .iter()
                .find(|choice| choice.eq_ignore_ascii_case(found))
                .map(|choice| OptionValue::Combo(choice.clone()))
                .ok_or_else(|| self.refusal(format!("one of {}", choices.join(", ")), found)),
            OptionKind::Button => match value {
                None => Ok(OptionValue::Button),
                // Some GUIs send an empty value or "true" to press a button.
                Some(_) if found.is_empty() || found.eq_ignore_ascii_case("true") => Ok(OptionValue::Button),
                Some(_) => Err(self.refusal("no value (it is a button)".into(), found)),
            },
            OptionKind::Text { .. } => {
                Ok(OptionValue::Text(if found == EMPTY { String::new() } else { found.into() }))
            }
        }
    }

    fn refusal(&self, expected: String, found: &str) -> OptionError {
        OptionError { name: self.name.clone(), expected, found: found.into() }
    }

    /// Reads the tokens after `option`.
    pub(super) fn parse(tokens: &mut Tokens<'_>) -> Result<Self, UciError> {
        if tokens.next() != Some("name") {
            return Err(unexpected("name", tokens.rest()));
        }
        let name = single_spaced(tokens.text_until(|token| token == "type"));
        tokens.next();
        let kind = tokens.next().unwrap_or_default();
        if name.is_empty() {
            return Err(unexpected("the option's name", kind));
        }
        let kind = match kind {
            "check" => Details::read(tokens).check()?,
            "spin" => Details::read(tokens).spin()?,
            "combo" => Details::read(tokens).combo()?,
            "button" => OptionKind::Button,
            "string" => OptionKind::Text { default: text_default(tokens) },
            other => return Err(unexpected("type check, spin, combo, button or string", other)),
        };
        Ok(Self { name, kind })
    }
}

/// The default of a string is the rest of the line, so it may contain any word.
fn text_default(tokens: &mut Tokens<'_>) -> String {
    match tokens.next() {
        Some("default") if tokens.rest() != EMPTY => one_line(tokens.rest()),
        _ => String::new(),
    }
}

/// The parts of a declaration after its type, in any order.
#[derive(Debug, Default)]
struct Details {
    default: Option<String>,
    min: Option<String>,
    max: Option<String>,
    choices: Vec<String>,
}

impl Details {
    fn read(tokens: &mut Tokens<'_>) -> Self {
        let mut details = Self::default();
        while let Some(token) = tokens.next() {
            let text =
                single_spaced(tokens.text_until(|token| matches!(token, "default" | "min" | "max" | "var")));
            match token {
                "default" => details.default = Some(text),
                "min" => details.min = Some(text),
                "max" => details.max = Some(text),
                "var" => details.choices.push(text),
                _ => {}
            }
        }
        details
    }

    fn check(self) -> Result<OptionKind, UciError> {
        match self.default.as_deref() {
            Some("true") => Ok(OptionKind::Check { default: true }),
            Some("false") => Ok(OptionKind::Check { default: false }),
            other => Err(unexpected("default true or false", other.unwrap_or_default())),
        }
    }

    fn spin(self) -> Result<OptionKind, UciError> {
        let default = whole_number(self.default, "default with a whole number")?;
        let min = whole_number(self.min, "min with a whole number")?;
        let max = whole_number(self.max, "max with a whole number")?;
        if min > default || default > max {
            return Err(unexpected("min <= default <= max", &format!("{min}, {default}, {max}")));
        }
        Ok(OptionKind::Spin { default, min, max })
    }

    fn combo(self) -> Result<OptionKind, UciError> {
        let default = self.default.ok_or_else(|| unexpected("default with one of the values", ""))?;
        Ok(OptionKind::Combo { default, choices: self.choices })
    }
}

fn whole_number(text: Option<String>, expected: &'static str) -> Result<i64, UciError> {
    let text = text.unwrap_or_default();
    text.parse().map_err(|_not_a_number| unexpected(expected, &text))
}

fn unexpected(expected: &'static str, found: &str) -> UciError {
    UciError::malformed("option", expected, found)
}

impl fmt::Display for OptionDeclaration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "option name {} type ", one_line(&self.name))?;
        match &self.kind {
            OptionKind::Check { default } => write!(formatter, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(formatter, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, choices } => {
                write!(formatter, "combo default {default}")?;
                choices.iter().try_for_each(|choice| write!(formatter, " var {choice}"))
            }
            OptionKind::Button => formatter.write_str("button"),
            OptionKind::Text { default } if default.is_empty() => {
                write!(formatter, "string default {EMPTY}")
            }
            OptionKind::Text { default } => write!(formatter, "string default {}", one_line(default)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Response;

    fn option(line: &str) -> OptionDeclaration {
        match line.parse() {
            Ok(Response::Option(option)) => option,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn declarations_of_real_engines_are_read_and_printed_alike() {
        for line in [
            "option name Move Overhead type spin default 10 min 0 max 5000",
            "option name Debug Log File type string default <empty>",
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name Analysis Contempt type combo default Both var Off var White var Black var Both",
            "option name EvalFile type string default nn-ad9b42354671.nnue",
        ] {
            assert_eq!(option(line).to_string(), line);
        }
        assert_eq!(option("option name Path type string").kind, OptionKind::Text { default: String::new() });
    }

    #[test]
    fn values_are_checked_against_type_and_range() {
        let hash = option("option name Hash type spin default 16 min 1 max 33554432");
        assert_eq!(hash.check(Some(" 64 ")), Ok(OptionValue::Spin(64)));
        assert_eq!(
            hash.check(Some("0")).unwrap_err().to_string(),
            "option Hash: expected a whole number from 1 to 33554432, found \"0\""
        );
        assert!(hash.check(None).is_err());
        let style = option("option name Style type combo default Calm var Calm var Very Wild");
        assert_eq!(style.check(Some("very wild")), Ok(OptionValue::Combo("Very Wild".into())));
        assert!(style.check(Some("odd")).is_err());
        let clear = option("option name Clear Hash type button");
        assert_eq!(clear.check(None), Ok(OptionValue::Button));
        assert!(clear.check(Some("7")).is_err());
        let ponder = option("option name Ponder type check default false");
        assert_eq!(ponder.check(Some("True")), Ok(OptionValue::Check(true)));
        assert!(ponder.check(Some("1")).is_err());
        let path = option("option name SyzygyPath type string default <empty>");
        assert_eq!(path.check(Some("<empty>")), Ok(OptionValue::Text(String::new())));
    }

    #[test]
    fn names_ignore_case_and_spacing() {
        assert!(option("option name Move Overhead type button").is_named("move  overhead"));
        assert!(!option("option name Move Overhead type button").is_named("MoveOverhead"));
    }

    #[test]
    fn broken_declarations_are_errors() {
        for line in [
            "option",
            "option name",
            "option name X",
            "option name X type wheel",
            "option name X type spin default 3",
            "option name X type spin default 3 min 4 max 5",
            "option name X type check default maybe",
            "option name X type combo var A",
        ] {
            assert!(line.parse::<Response>().is_err(), "{line}");
        }
    }
}
