//! The bot's account, and the names of games, challenges and accounts.

use chess::printable;
use serde::{Deserialize, Deserializer, de::Unexpected};

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Account {
    pub(crate) id: String,
    pub(crate) username: String,
    #[serde(default)]
    pub(crate) title: Option<String>,
}

/// Maximum characters of an identifier; those of Lichess have 8 to 12.
const LONGEST_IDENTIFIER: usize = 32;

/// True if this names a game, challenge or account: identifiers become parts of request paths, where `../`
/// would change the request.
pub(crate) fn is_identifier(text: &str) -> bool {
    (1..=LONGEST_IDENTIFIER).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Reads an identifier sent by the server.
pub(crate) fn identifier<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if is_identifier(&text) {
        return Ok(text);
    }
    let expected = &"an identifier of letters, digits, _ and -";
    Err(serde::de::Error::invalid_value(Unexpected::Str(&printable(&text, &[])), expected))
}
