//! Describes the machine that trains a network.

/// Processor and threads in one line.
pub fn hardware(threads: usize) -> String {
    format!("{}, {threads} threads", system::processor_name())
}
