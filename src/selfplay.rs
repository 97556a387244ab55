//! Self-play put together: networks and searches for the crate that plays, a teacher of the trainer and the match runner.

pub(crate) mod engines;
pub(crate) mod gate;
pub(crate) mod teacher;

/// Version of the program as runs compare it: games of different versions do not mix.
pub(crate) const PROGRAM: &str = concat!("tabiya ", env!("CARGO_PKG_VERSION"));
