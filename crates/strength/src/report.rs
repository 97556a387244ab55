//! Results of every kind as one readable document: sections of text, tables and ratings.

use std::fmt;

pub mod document;
pub mod sections;

/// A number with this many decimals, or a dash.
pub(crate) fn decimals(value: Option<impl fmt::Display>, digits: usize) -> String {
    value.map_or("-".into(), |value| format!("{value:.digits$}"))
}
