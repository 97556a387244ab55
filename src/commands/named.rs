//! Values of command lines that go by names.

/// The value of that name.
///
/// # Errors
/// The names there are, as a clause for clap's message, which tells what was found and where.
pub(crate) fn named<T: Copy>(names: &[(&str, T)], text: &str) -> Result<T, String> {
    let found = names.iter().find(|(name, _)| *name == text).map(|&(_, value)| value);
    let known = || names.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| format!("expected one of {}", known()))
}
