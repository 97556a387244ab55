//! Errors when compiling a network; a compiled program cannot fail.

/// An error when compiling a network for this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum KernelError {
    /// The name is not an instruction set.
    #[error("unknown instruction set {found:?}; expected one of {known}")]
    UnknownIsa { found: String, known: String },
    /// The name is not a precision.
    #[error("unknown precision {found:?}; expected one of {known}")]
    UnknownPrecision { found: String, known: String },
    /// The processor or the operating system does not have the instruction set.
    #[error("instruction set {isa} cannot be used on this machine: {reason}")]
    MissingIsa { isa: String, reason: String },
    /// The instruction set has no kernels of this precision.
    #[error("precision {precision} cannot be used with instruction set {isa}: {reason} (use f32)")]
    MissingPrecision { precision: String, isa: String, reason: String },
    /// The sizes of two layers, or of a layer and its parameters, do not match.
    #[error("{part}: found size {found}, expected {expected}")]
    Shape { part: String, found: usize, expected: usize },
    /// A value is outside the range of a number format.
    #[error("{part}: found {found}, expected {expected}")]
    Range { part: String, found: String, expected: String },
    /// int8 needs calibrated activation ranges.
    #[error("{part}: no calibration: found {found} ranges, expected {expected}")]
    Calibration { part: String, found: usize, expected: usize },
}
