//! Defaults of keys of recipes, for `#[serde(default = "...")]`.

use std::fmt::Debug;

/// The whole number given, `default_to::<256, _>`.
///
/// # Panics
/// When the key's type does not hold it.
pub fn default_to<const NUMBER: u32, T: TryFrom<u32, Error: Debug>>() -> T {
    T::try_from(NUMBER).expect("a default that fits its key")
}

pub(crate) fn yes() -> bool {
    true
}
