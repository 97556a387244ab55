//! The kinds of fault, with one file for each.

mod engine;
mod full_disk;
mod read_only;
mod second_process;
mod signals;

use anyhow::Result;

use super::round::Round;
use super::work::Work;

pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// One line for the help text.
    pub(crate) about: &'static str,
    /// Fails if this machine cannot cause the fault, with the reason.
    pub(crate) available: fn() -> Result<()>,
    /// True if the fault can affect this command.
    pub(crate) strikes: fn(&Work) -> bool,
    /// Causes it, once or a few times, and returns how often. An error is a finding. The round ends the work and compares
    /// afterwards.
    pub(crate) cause: fn(&mut Round<'_>) -> Result<u32>,
}

impl Fault {
    /// A fault that every machine can cause to every command.
    const fn new(name: &'static str, about: &'static str, cause: fn(&mut Round<'_>) -> Result<u32>) -> Self {
        Self { name, about, available: || Ok(()), strikes: |_| true, cause }
    }
}

/// Every kind of fault; a new kind is a row here.
pub(crate) const FAULTS: &[Fault] = &[
    signals::KILL,
    signals::TERMINATE,
    signals::INTERRUPT,
    full_disk::FULL_DISK,
    read_only::READ_ONLY,
    second_process::SECOND_PROCESS,
    engine::ENGINE_DIES,
    engine::ENGINE_HANGS,
];
