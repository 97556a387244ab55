//! Layers whose sizes do not fit.

/// A layer or network whose parts have sizes that do not go together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part}: found size {found}; expected {expected}")]
pub struct ShapeError {
    /// Which part.
    pub part: String,
    /// The size found.
    pub found: usize,
    /// The size that fits.
    pub expected: String,
}

/// Checks that `found` numbers are a non-empty tensor of these dimensions.
pub(super) fn expect_len(part: &str, found: usize, dimensions: &[usize]) -> Result<(), ShapeError> {
    let expected = dimensions.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
    if expected == Some(found) && found > 0 {
        return Ok(());
    }
    let names: Vec<String> = dimensions.iter().map(usize::to_string).collect();
    Err(ShapeError { part: part.into(), found, expected: format!("{} (none of them 0)", names.join(" x ")) })
}

/// Checks that two neighbouring layers agree.
pub(super) fn expect_equal(part: &str, found: usize, expected: usize) -> Result<(), ShapeError> {
    if found == expected {
        return Ok(());
    }
    Err(ShapeError { part: part.into(), found, expected: expected.to_string() })
}
