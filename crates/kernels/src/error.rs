//! Errors of compiling a network; a compiled program cannot fail.

/// An error of compiling a network for this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The name is not an instruction set.
    #[error("unknown instruction set {found:?}; known are {known}")]
    UnknownIsa {
        /// The name as given by the caller.
        found: String,
        /// The known names, separated by commas.
        known: String,
    },
    /// The name is not a precision.
    #[error("unknown precision {found:?}; known are {known}")]
    UnknownPrecision {
        /// The name as given by the caller.
        found: String,
        /// The known names, separated by commas.
        known: String,
    },
    /// The processor or the operating system does not have the instruction set.
    #[error("instruction set {isa} cannot be used on this machine: {reason}")]
    MissingIsa {
        /// Name of the instruction set.
        isa: String,
        /// The missing CPU or system feature.
        reason: String,
    },
    /// The instruction set has no kernels of this precision.
    #[error("precision {precision} cannot be used with instruction set {isa}: {reason}")]
    MissingPrecision {
        /// The precision requested.
        precision: String,
        /// Instruction set that lacks it.
        isa: String,
        /// The missing CPU or system feature.
        reason: String,
    },
    /// The sizes of a layer do not match.
    #[error("{part}: found size {found}, expected {expected}")]
    Shape {
        /// Name of the layer.
        part: String,
        /// Count of numbers in the network's description.
        found: usize,
        /// Numbers that the other layers ask for.
        expected: usize,
    },
    /// A number is out of the range of a format.
    #[error("{part}: found {found}, expected {expected}")]
    Range {
        /// Name of the layer.
        part: String,
        /// The number.
        found: String,
        /// The numbers that fit.
        expected: &'static str,
    },
    /// int8 needs calibrated activation ranges.
    #[error("{part}: no calibration: found {found} ranges, expected {expected}")]
    Calibration {
        /// The item looked up.
        part: String,
        /// Number of ranges given.
        found: usize,
        /// Number of ranges that the network needs.
        expected: usize,
    },
}
