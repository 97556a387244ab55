//! The secret token of the account.

use std::{
    fmt, fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// A file of this length holds something else; Lichess's tokens have 24 characters.
const LONGEST_FILE: u64 = 1 << 10;

/// A personal access token. `Debug` and errors do not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// Error of reading the token. No variant contains the text found.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum TokenError {
    #[error("cannot read the token file {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    /// Others on this machine can read the file.
    #[error("{path}: found permissions {mode:03o}, expected a file that only you can read: chmod 600 {path}")]
    Permissions { path: PathBuf, mode: u32 },
    #[error("{place}: found {found}, expected one token of letters, digits and _")]
    Malformed {
        /// The file or environment variable.
        place: String,
        /// The problem, without the text.
        found: String,
    },
}

impl Token {
    /// Reads a token from the text of an environment variable or file, which `place` names.
    ///
    /// # Errors
    /// [`TokenError::Malformed`] for anything but one word of letters, digits and underscores.
    pub fn parse(text: &str, place: &str) -> Result<Self, TokenError> {
        let word = text.trim();
        let is_token = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_token && !word.is_empty() {
            return Ok(Self(word.to_owned()));
        }
        let found = if word.is_empty() { "nothing" } else { "other characters" };
        Err(TokenError::Malformed { place: place.to_owned(), found: found.to_owned() })
    }

    /// Reads a token from a file that only its owner can read.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn from_file(path: &Path) -> Result<Self, TokenError> {
        let permissions = files::system::open_permissions(path);
        if let Some(mode) = permissions.map_err(|source| TokenError::Read { path: path.into(), source })? {
            return Err(TokenError::Permissions { path: path.into(), mode });
        }
        let mut text = String::new();
        fs::File::open(path)
            .and_then(|file| file.take(LONGEST_FILE).read_to_string(&mut text))
            .map_err(|source| TokenError::Read { path: path.into(), source })?;
        if text.len() as u64 == LONGEST_FILE {
            let found = format!("{LONGEST_FILE} bytes or more");
            return Err(TokenError::Malformed { place: path.display().to_string(), found });
        }
        Self::parse(&text, &path.display().to_string())
    }

    /// The value of the `Authorization` header; the only way in which the token leaves this type.
    pub(crate) fn authorization(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// `text` with the token redacted, in case a server sends it back.
    pub(crate) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "(token)")
    }

    /// Replaces the token in every text of a JSON value, however it was escaped.
    pub(crate) fn redact_value(&self, value: &mut serde_json::Value) {
        match value {
            serde_json::Value::String(text) if text.contains(&self.0) => *text = self.redact(text),
            serde_json::Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            serde_json::Value::Object(fields) => {
                fields.values_mut().for_each(|field| self.redact_value(field));
            }
            _ => {}
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_k13_a_token_is_one_word_and_never_shown() {
        let token = Token::parse(" lip_Secret1\n", "TABIYA").unwrap();
        assert_eq!(token.authorization(), "Bearer lip_Secret1");
        assert!(!format!("{token:?}").contains("Secret"));
        assert_eq!(token.redact("bad token lip_Secret1!"), "bad token (token)!");
        // Defect N9: a server sent the token back as the name of an account or challenge.
        let mut answer =
            serde_json::from_str(r#"{"username":"lip\u005fSecret1","list":[{"id":"lip_Secret1x"}]}"#)
                .unwrap();
        token.redact_value(&mut answer);
        assert_eq!(answer.to_string(), r#"{"list":[{"id":"(token)x"}],"username":"(token)"}"#);
        for (text, found) in
            [("", "nothing"), ("two words", "other characters"), ("a\nb", "other characters")]
        {
            let message = Token::parse(text, "FILE").unwrap_err().to_string();
            assert!(message.contains("FILE") && message.contains(found), "{message}");
            assert!(text.is_empty() || !message.contains(text), "the text stays hidden: {message}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        assert!(Token::from_file(&path).unwrap_err().to_string().contains("cannot read"));
        fs::write(&path, "lip_Secret1\n").unwrap();
        for mode in [0o644, 0o640, 0o604] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let message = Token::from_file(&path).unwrap_err().to_string();
            assert!(message.contains(&format!("{mode:03o}")) && message.contains("chmod 600"), "{message}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(Token::from_file(&path).unwrap(), Token::parse("lip_Secret1", "").unwrap());
        // Defect N15: a file of 50 MB was read whole.
        fs::write(&path, "x".repeat(1 << 20)).unwrap();
        assert!(Token::from_file(&path).unwrap_err().to_string().contains("1024 bytes or more"));
    }
}
