//! Broken records by reason, as text.

use std::collections::BTreeMap;

use dataset::source::BadReason;

/// Broken records by reason in one line, or `none`.
pub fn rejected_text(rejected: &BTreeMap<BadReason, u64>) -> String {
    if rejected.is_empty() {
        return "none".into();
    }
    let reasons = rejected.iter().map(|(reason, records)| format!("{} {records}", reason.name()));
    reasons.collect::<Vec<_>>().join(", ")
}
