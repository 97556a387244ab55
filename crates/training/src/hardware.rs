//! Describes the machine that trains a network.

/// Processor and threads in one line.
pub fn hardware(threads: usize) -> String {
    format!("{}, {threads} threads", files::system::processor_name())
}
