//! Descriptions of the machine and of this program, for the conditions of measurements.

pub(crate) use strength::machine;

/// The commit this program was built from, `unknown` outside a git checkout.
pub(crate) const COMMIT: &str = env!("TABIYA_COMMIT");

/// Name, version and commit of this program.
pub(crate) fn program() -> String {
    format!("tabiya {}, commit {}", env!("CARGO_PKG_VERSION"), COMMIT)
}

/// Threads that the CPU runs at the same time; 1 if that is not known.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The number of threads that an option requests, where 0 means all cores.
pub(crate) fn threads_or_all(wanted: u16) -> usize {
    if wanted > 0 { wanted.into() } else { threads() }
}
