//! Sanitises texts of an untrusted file for printing.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Replaces the control characters in all texts of a value with spaces, since terminals interpret some of them. Line breaks
/// and tabs stay, because recipes need them.
pub(super) fn printable<T: Serialize + DeserializeOwned>(value: &T) -> Result<T, serde_json::Error> {
    serde_json::from_value(cleaned(serde_json::to_value(value)?))
}

fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(cleaned_text(&text)),
        Value::Array(values) => values.into_iter().map(cleaned).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(key, value)| (cleaned_text(&key), cleaned(value))).collect()
        }
        other => other,
    }
}

fn cleaned_text(text: &str) -> String {
    chess::printable(text, &['\n', '\t'])
}
