//! Values of the command line that are chosen by name.

/// The value with this name.
///
/// # Errors
/// The error: a clause with the known names, which clap appends to the argument and its value.
pub(crate) fn named<T: Copy>(names: &[(&str, T)], text: &str) -> Result<T, String> {
    let found = names.iter().find(|(name, _)| *name == text).map(|&(_, value)| value);
    let known = || names.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| format!("expected one of {}", known()))
}
