//! A file system that can be read but not written to, before the work or in the middle of it.

use anyhow::{Result, ensure};
use rustix::process::Signal;

use super::Fault;
use crate::torture::{
    round::{Round, STARTS},
    small_file_system as file_system,
};

pub(super) const READ_ONLY: Fault = Fault {
    available: file_system::available,
    ..Fault::new("read-only", "a file system that cannot be written to (Linux, as root)", cause)
};

fn cause(round: &mut Round<'_>) -> Result<u32> {
    round.mount()?;
    if round.random(2) == 1
        && let Some(mut process) = round.start_until_a_moment(STARTS)?
    {
        process.signal(Signal::KILL)?;
        process.must_end()?;
    }
    if round.is_finished() {
        return Ok(0);
    }
    file_system::forbid_writing(round.folder())?;
    let mut process = round.start()?;
    process.must_end()?;
    // Work that was finished when the process was killed does not need to write.
    ensure!(process.succeeded() || !process.error().trim().is_empty(), "it failed without a word");
    let struck = !process.succeeded();
    if struck {
        process.must_have_failed_with(&["Read-only file system", "os error 30"])?;
    }
    file_system::allow_writing(round.folder())?;
    Ok(u32::from(struck))
}
