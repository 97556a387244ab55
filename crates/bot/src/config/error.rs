//! Errors of reading the configuration.

/// Why a text is not a configuration.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum ConfigError {
    /// No TOML, an unknown key, or a value of another type; the message has line and column.
    #[error("{0}")]
    Syntax(#[from] toml::de::Error),
    #[error("{key}: found {found}, expected {expected}")]
    Value { key: &'static str, found: String, expected: &'static str },
}
