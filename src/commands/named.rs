//! Values of the command line that are chosen by name.

/// The value with this name.
///
/// # Errors
/// The known names, as a clause for clap's message, which says what was found and where.
pub(crate) fn named<T: Copy>(names: &[(&str, T)], text: &str) -> Result<T, String> {
    let found = names.iter().find(|(name, _)| *name == text).map(|&(_, value)| value);
    let known = || names.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| format!("expected one of {}", known()))
}
