//! The inputs of a command, identified by content, so that work never resumes with another file of the same name.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};

use crate::{OutputError, content_hash, is_stream, path_text};

/// Facts that identify an input, as names and values. The first that differs is the one to name.
pub type Facts = Vec<(String, String)>;

/// The inputs of a command by their names (`openings book.pgn`), each with the facts that identify it. They are kept where the work
/// is, and every command that continues or reuses work compares them with [`Inputs::expect_same`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Inputs(BTreeMap<String, Facts>);

impl Inputs {
    /// The value of a fact about something that is no longer there. It differs from nothing: it cannot mix anything in, and results
    /// of finished work can be shown without it.
    pub const GONE: &str = "no longer there";

    /// The value of a fact about a [stream](is_stream). It equals nothing: what comes next may be something else.
    const STREAM: &str = "a stream";

    /// Adds an input; `name` says what it is used as.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, facts: Facts) -> Self {
        self.0.insert(name.into(), facts);
        self
    }

    /// Adds the program that does the work, by its version: it decides the results as what it reads does.
    #[must_use]
    pub fn with_program(self, version: &str) -> Self {
        self.with("program", vec![("version".into(), version.into())])
    }

    /// Adds a file or folder by its content. Work that reads a stream cannot be continued; what is neither, such as an address, is
    /// left out.
    ///
    /// # Errors
    /// [`OutputError::Io`].
    pub fn with_path(self, role: &str, path: &Path) -> Result<Self, OutputError> {
        let (fact, value) = match content_hash(path)? {
            Some(hash) => ("hash", hash),
            None if is_stream(path) => ("content", Self::STREAM.to_owned()),
            None => return Ok(self),
        };
        Ok(self.with(format!("{role} {}", path_text(path)), vec![(fact.into(), value)]))
    }

    fn facts(&self, name: &str) -> &[(String, String)] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Compares the inputs with those with which the work in `place` was begun.
    ///
    /// # Errors
    /// [`OutputError::OtherInput`] with the first input that differs, and what it was and is; [`OutputError::StreamInput`].
    pub fn expect_same(&self, before: &Self, place: &Path) -> Result<(), OutputError> {
        for name in before.0.keys().chain(self.0.keys()) {
            if self.facts(name).iter().any(|(_, value)| value == Self::STREAM) {
                return Err(OutputError::StreamInput { place: place.into(), input: name.as_str().into() });
            }
            if let Some(Difference { fact, before, now }) =
                Difference::first(before.facts(name), self.facts(name))
            {
                return Err(OutputError::OtherInput {
                    place: place.into(),
                    input: name.as_str().into(),
                    fact: fact.into(),
                    before: before.into(),
                    now: now.into(),
                });
            }
        }
        Ok(())
    }
}

/// A fact of an input that has changed, with its two values.
struct Difference<'a> {
    fact: &'a str,
    before: &'a str,
    now: &'a str,
}

impl<'a> Difference<'a> {
    /// The first fact that differs. Facts are compared by their places: whoever describes an input lists its facts in a fixed order.
    fn first(before: &'a [(String, String)], now: &'a [(String, String)]) -> Option<Self> {
        for place in 0..before.len().max(now.len()) {
            let (was, is) = (before.get(place), now.get(place));
            let is_gone = is.is_some_and(|(_, value)| value == Inputs::GONE);
            if was != is && !is_gone {
                let (fact, _) = is.or(was)?;
                return Some(Self { fact, before: value_of(was, fact), now: value_of(is, fact) });
            }
        }
        None
    }
}

/// The value of the fact with this name. Another fact in its place means that this one is missing.
fn value_of<'a>(known: Option<&'a (String, String)>, name: &str) -> &'a str {
    match known {
        Some((known, value)) if known == name => value.as_str(),
        _ => "not there",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(hash: &str) -> Facts {
        vec![("search".into(), "puct".into()), ("hash".into(), hash.into())]
    }

    #[test]
    fn the_first_difference_is_named() {
        let place = Path::new("m");
        let refused = |before: &Inputs, now: &Inputs| now.expect_same(before, place).unwrap_err().to_string();
        let before = Inputs::default().with("player a", facts("1"));
        before.clone().expect_same(&before, place).unwrap();
        let other = refused(&before, &Inputs::default().with("player a", facts("2")));
        assert!(
            other.contains("player a is not the one") && other.contains("its hash was 1, now 2"),
            "{other}"
        );
        let more = before.clone().with("openings o", vec![("hash".into(), "3".into())]);
        assert!(
            refused(&before, &more).contains("openings o")
                && refused(&before, &more).contains("was not there, now 3")
        );
        assert!(refused(&more, &before).contains("was 3, now not there"));
        let program = |version: &str| Inputs::default().with_program(version);
        let other = refused(&program("tabiya 1"), &program("tabiya 2"));
        assert!(
            other.contains("program is not the one") && other.contains("was tabiya 1, now tabiya 2"),
            "{other}"
        );
        let stream = Inputs::default().with_path("games", Path::new("-")).unwrap();
        assert!(refused(&stream, &stream).contains("games - is a stream"));
        let gone = Inputs::default().with("player a", facts(Inputs::GONE));
        gone.expect_same(&before, place).unwrap();
        let text = serde_json::to_string(&more).unwrap();
        assert_eq!(serde_json::from_str::<Inputs>(&text).unwrap(), more);
    }
}
