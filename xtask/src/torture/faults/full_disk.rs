//! A file system that fills up in the middle of the work: the command reports it, and continues once there is
//! room.

use std::fs::File;
use std::io::Write as _;

use anyhow::{Context as _, Result};

use super::Fault;
use crate::torture::{round::Round, small_file_system as file_system};

pub(super) const FULL_DISK: Fault = Fault {
    available: file_system::available,
    ..Fault::new("full-disk", "a file system without room for all of the work (Linux, as root)", cause)
};

fn cause(round: &mut Round<'_>) -> Result<u32> {
    round.mount()?;
    let ballast = round.folder().join("ballast");
    // From no room at all to enough for most of the work.
    let room = round.random(file_system::room(round.bytes()?));
    fill(&ballast, room)?;
    let mut process = round.start()?;
    process.must_end()?;
    let struck = !process.succeeded();
    if struck {
        process.must_have_failed_with(&["No space left", "os error 28"])?;
    }
    std::fs::remove_file(&ballast).context("cannot remove the ballast")?;
    Ok(u32::from(struck))
}

/// Writes until the file system is full, then frees `room` bytes.
fn fill(ballast: &std::path::Path, room: u64) -> Result<()> {
    let mut file = File::create(ballast).context("cannot make the ballast")?;
    let block = [0; 4096];
    let mut length = 0;
    // The last write fails, as intended.
    while file.write_all(&block).is_ok() {
        length += block.len() as u64;
    }
    file.set_len(length.saturating_sub(room)).context("cannot cut the ballast")
}
