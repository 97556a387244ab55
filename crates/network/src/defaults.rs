//! Default values of recipe keys, for `#[serde(default = "...")]`.

use std::fmt::Debug;

/// The integer given as the type argument, as in `default_to::<256, _>`.
///
/// # Panics
/// If the key's type cannot represent it.
pub fn default_to<const NUMBER: u32, T: TryFrom<u32, Error: Debug>>() -> T {
    T::try_from(NUMBER).expect("a default that fits its key")
}

pub(crate) fn yes() -> bool {
    true
}
