//! What can go wrong before a network runs; a compiled program has no errors.

/// A network cannot be compiled here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// A name that is no instruction set.
    #[error("unknown instruction set {found:?}; known are {known}")]
    UnknownIsa {
        /// The name.
        found: String,
        /// All names.
        known: String,
    },
    /// A name that is no precision.
    #[error("unknown precision {found:?}; known are {known}")]
    UnknownPrecision {
        /// The name.
        found: String,
        /// All names.
        known: String,
    },
    /// The processor or the operating system does not have the instruction set.
    #[error("instruction set {isa} cannot be used on this machine: {reason}")]
    MissingIsa {
        /// Its name.
        isa: String,
        /// What is missing.
        reason: String,
    },
    /// The instruction set has no kernels of this precision.
    #[error("precision {precision} cannot be used with instruction set {isa}: {reason}")]
    MissingPrecision {
        /// The precision.
        precision: String,
        /// The instruction set.
        isa: String,
        /// What is missing.
        reason: String,
    },
    /// A layer whose sizes do not fit.
    #[error("{part}: found size {found}, expected {expected}")]
    Shape {
        /// Which layer.
        part: String,
        /// The size found.
        found: usize,
        /// The size that fits.
        expected: usize,
    },
    /// Eight-bit numbers need to know how large activations get.
    #[error("{part}: no calibration: found {found} ranges, expected {expected}")]
    Calibration {
        /// What was looked for.
        part: String,
        /// How many ranges there are.
        found: usize,
        /// How many the network needs.
        expected: usize,
    },
}
