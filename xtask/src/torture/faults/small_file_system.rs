//! A file system in memory in place of a round's folder.

use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::repository;
use crate::torture::round::Round;

/// Room for any work, and little enough to be filled at once.
const BYTES: u64 = 24 << 20;

/// Fails if this machine does not allow it: `mount` needs Linux and root.
pub(super) fn available() -> Result<()> {
    let folder = repository::root().join("target/torture-mount");
    std::fs::create_dir_all(&folder)?;
    let tried = mount_at(&folder);
    if tried.is_ok() {
        unmount(&folder)?;
    }
    std::fs::remove_dir(&folder)?;
    tried
}

/// Mounts one and fills it with the stage's files; the round unmounts it when it ends.
pub(super) fn mount(round: &mut Round<'_>) -> Result<()> {
    mount_at(round.folder())?;
    round.mounted = true;
    round.furnish()
}

/// Most bytes that may be left free: as many as the work takes without faults.
pub(super) fn room(round: &Round<'_>) -> Result<u64> {
    Ok(round.bytes()?.clamp(4096, BYTES / 2))
}

pub(super) fn allow_writing(round: &Round<'_>, allowed: bool) -> Result<()> {
    let option = if allowed { "remount,rw" } else { "remount,ro" };
    call(Command::new("mount").args(["-o", option]).arg(round.folder()))
}

pub(crate) fn unmount(folder: &std::path::Path) -> Result<()> {
    call(Command::new("umount").arg(folder))
}

fn mount_at(folder: &std::path::Path) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("it needs Linux");
    }
    let size = format!("size={BYTES}");
    call(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder))
}

fn call(command: &mut Command) -> Result<()> {
    let output = command.output().context("cannot start mount")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}
